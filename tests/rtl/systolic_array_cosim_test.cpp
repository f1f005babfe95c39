// The generated systolic array against its own C++: every port on every clock.

#include <Vsystolic_array.h>

#include <catch2/catch.hpp>
#include <memory>

#include "hls/kernels/matrix_unit.h"
#include "hls/kernels/systolic_array.h"
#include "tests/rtl/ports.h"
#include "tests/support/arithmetic_cases.h"

namespace systole::tests {
namespace {

using namespace systole::hls;

constexpr std::uint64_t kSeed = 0x5eed'0023;
constexpr int kN = 4;
constexpr int kClocks = 60'000;
using Array = kernels::MatrixUnit<kN, kernels::kDefaultBankRows>::Array;
constexpr int kTagBits = kernels::MatrixUnit<kN, kernels::kDefaultBankRows>::kTagBits;

Array::Inputs random_inputs(Random& random) {
  Array::Inputs in;
  in.plane = UInt1::from(random.below(2));
  in.is_int8 = UInt1::from(random.below(3) == 0);
  in.tag = UInt<kTagBits>::from(random.bits());
  in.weight_column = UInt<kernels::kHopBits>::from(random.below(kN));
  in.weight_plane = UInt1::from(random.below(2));
  in.weight_valid = UInt1::from(random.below(2));
  // A beat of ordinary numbers, or one of hard cases, which soon make NaNs.
  const bool hard = random.below(8) == 0;
  for (int k = 0; k < kN; ++k) {
    const MacCase mac = random_mac_case(random);
    const auto ordinary = [&] {
      return (random.bits16() & 0x807fu) | (static_cast<unsigned>(random.between(112, 142)) << 7);
    };
    in.activation[k] = UInt16::from(hard ? mac.activation : ordinary());
    in.weight[k] = UInt16::from(hard ? mac.weight : ordinary());
  }
  return in;
}

void set_ports(Vsystolic_array& model, const Array::Inputs& in) {
  set_port(model.activation_i, in.activation);
  set_port(model.plane_i, in.plane);
  set_port(model.is_int8_i, in.is_int8);
  set_port(model.tag_i, in.tag);
  set_port(model.weight_i, in.weight);
  set_port(model.weight_column_i, in.weight_column);
  set_port(model.weight_plane_i, in.weight_plane);
  set_port(model.weight_valid_i, in.weight_valid);
}

TEST_CASE("RTL and C++ of the systolic array agree at every port on every clock", "[cosim]") {
  INFO("seed " << kSeed);
  Random random(kSeed);
  VerilatedContext context;
  Vsystolic_array model(&context);
  const auto native = std::make_unique<Array>();
  model.rst_ni = 0;
  set_ports(model, {});
  settle(model);
  rise(model);
  model.rst_ni = 1;
  native->reset();
  constexpr int kFillClocks = Array::kLatency + 2 * kN;
  int wrong_tags = 0;
  int wrong_sums = 0;
  for (int clock = 0; clock < kClocks; ++clock) {
    Array::Inputs in = random_inputs(random);
    if (clock < 2 * kN) {
      in.weight_valid = UInt1(1);
      in.weight_column = UInt<kernels::kHopBits>::from(static_cast<unsigned>(clock % kN));
      in.weight_plane = as_bit(clock >= kN);
    }
    set_ports(model, in);
    settle(model);
    const auto out = native->clock(in);
    wrong_tags += !same(model.tag_o, out.tag);
    wrong_sums += clock >= kFillClocks && !same(model.sum_o, out.sum);
    rise(model);
  }
  CHECK(wrong_tags == 0);
  CHECK(wrong_sums == 0);
}

}  // namespace
}  // namespace systole::tests
