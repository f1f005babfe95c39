// The generated processing element against its own C++: every port on every clock.

#include <Vprocessing_element.h>

#include <catch2/catch.hpp>

#include "hls/kernels/processing_element.h"
#include "tests/rtl/ports.h"
#include "tests/support/arithmetic_cases.h"

namespace systole::tests {
namespace {

using namespace systole::hls;
using Element = kernels::ProcessingElement<>;

constexpr std::uint64_t kSeed = 0x5eed'0022;
constexpr int kClocks = 200'000;

Element::Inputs random_inputs(Random& random) {
  const MacCase mac = random_mac_case(random);
  Element::Inputs in;
  in.operand.activation = UInt16::from(mac.activation);
  in.operand.plane = UInt1::from(random.below(2));
  in.operand.is_int8 = UInt1::from(random.below(3) == 0);
  in.weight.value = UInt16::from(mac.weight);
  in.weight.hops = UInt<kernels::kHopBits>::from(random.below(4) == 0 ? random.bits() : 0);
  in.weight.plane = UInt1::from(random.below(2));
  in.weight.valid = UInt1::from(random.below(2));
  in.sum = UInt32::from(mac.sum);
  return in;
}

void set_ports(Vprocessing_element& model, const Element::Inputs& in) {
  set_port(model.operand_activation_i, in.operand.activation);
  set_port(model.operand_plane_i, in.operand.plane);
  set_port(model.operand_is_int8_i, in.operand.is_int8);
  set_port(model.weight_value_i, in.weight.value);
  set_port(model.weight_hops_i, in.weight.hops);
  set_port(model.weight_plane_i, in.weight.plane);
  set_port(model.weight_valid_i, in.weight.valid);
  set_port(model.sum_i, in.sum);
}

bool same_ports(const Vprocessing_element& model, const Element::Outputs& out) {
  return same(model.operand_activation_o, out.operand.activation) &&
         same(model.operand_plane_o, out.operand.plane) &&
         same(model.operand_is_int8_o, out.operand.is_int8) &&
         same(model.weight_value_o, out.weight.value) &&
         same(model.weight_hops_o, out.weight.hops) &&
         same(model.weight_plane_o, out.weight.plane) &&
         same(model.weight_valid_o, out.weight.valid) && same(model.sum_o, out.sum);
}

TEST_CASE("RTL and C++ of the processing element agree at every port on every clock", "[cosim]") {
  INFO("seed " << kSeed);
  Random random(kSeed);
  VerilatedContext context;
  Vprocessing_element model(&context);
  Element native;
  constexpr int kFillClocks = 4 + kernels::kMacStages;  // until both planes and all stages are set
  int wrong = 0;
  for (int clock = 0; clock < kClocks; ++clock) {
    Element::Inputs in = random_inputs(random);
    if (clock < 2) {
      in.weight.valid = UInt1(1);
      in.weight.hops = UInt<kernels::kHopBits>(0);
      in.weight.plane = as_bit(clock == 1);
    }
    set_ports(model, in);
    settle(model);
    const auto out = native.clock(in);
    wrong += clock >= kFillClocks && !same_ports(model, out);
    rise(model);
  }
  CHECK(wrong == 0);
}

}  // namespace
}  // namespace systole::tests
