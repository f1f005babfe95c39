// The generated accumulators against their own C++: every port on every clock.

#include <Vaccumulators.h>

#include <catch2/catch.hpp>
#include <memory>

#include "hls/kernels/accumulators.h"
#include "hls/kernels/matrix_unit.h"
#include "tests/rtl/ports.h"
#include "tests/support/arithmetic_cases.h"

namespace systole::tests {
namespace {

using namespace systole::hls;

constexpr std::uint64_t kSeed = 0x5eed'0024;
constexpr int kN = 4;
constexpr int kClocks = 60'000;
constexpr int kSettledClocks = 1000;  // by then both banks have been read and added to
constexpr unsigned kRowsUsed = 8;     // in each bank: few, so that operations meet in them
using Totals = kernels::MatrixUnit<kN, kernels::kDefaultBankRows>::Totals;

Totals::Row row(unsigned index) {
  const unsigned bank = index % 2;
  return Totals::Row::from(bank * kernels::kDefaultBankRows + index / 2);
}

// Draws from everything, also what a sequencer would never do: the two must agree on that too.
Totals::Inputs random_inputs(Random& random) {
  Totals::Inputs in;
  in.sum_valid = UInt1::from(random.below(2));
  in.sum_row = row(random.below(2 * kRowsUsed));
  in.accumulate = UInt1::from(random.below(4) != 0);
  in.is_int8 = UInt1::from(random.below(3) == 0);
  in.preload_valid = UInt1::from(random.below(3) == 0);
  in.preload_row = row(random.below(2 * kRowsUsed));
  in.read_valid = UInt1::from(random.below(2));
  in.read_row = row(random.below(2 * kRowsUsed));
  for (int n = 0; n < kN; ++n) {
    const AddCase add = random_add_case(random);
    in.sum[n] = UInt32::from(add.tile_sum);
    in.preload[n] = UInt32::from(add.accumulator);
  }
  return in;
}

void set_ports(Vaccumulators& model, const Totals::Inputs& in) {
  set_port(model.sum_valid_i, in.sum_valid);
  set_port(model.sum_row_i, in.sum_row);
  set_port(model.accumulate_i, in.accumulate);
  set_port(model.is_int8_i, in.is_int8);
  set_port(model.sum_i, in.sum);
  set_port(model.preload_valid_i, in.preload_valid);
  set_port(model.preload_row_i, in.preload_row);
  set_port(model.preload_i, in.preload);
  set_port(model.read_valid_i, in.read_valid);
  set_port(model.read_row_i, in.read_row);
}

TEST_CASE("RTL and C++ of the accumulators agree at every port on every clock", "[cosim]") {
  INFO("seed " << kSeed);
  Random random(kSeed);
  VerilatedContext context;
  Vaccumulators model(&context);
  const auto native = std::make_unique<Totals>();
  model.rst_ni = 0;
  set_ports(model, {});
  settle(model);
  rise(model);
  model.rst_ni = 1;
  native->reset();
  int wrong_valid = 0;
  int wrong_result = 0;
  int results = 0;
  for (int clock = 0; clock < kClocks; ++clock) {
    Totals::Inputs in = random_inputs(random);
    if (clock < static_cast<int>(2 * kRowsUsed)) {  // every row in use gets a value first
      in.sum_valid = in.read_valid = UInt1(0);
      in.preload_valid = UInt1(1);
      in.preload_row = row(static_cast<unsigned>(clock));
    }
    set_ports(model, in);
    settle(model);
    const auto out = native->clock(in);
    const bool valid = static_cast<bool>(out.result_valid);
    wrong_valid += !same(model.result_valid_o, out.result_valid);
    wrong_result += clock >= kSettledClocks && !same(model.result_o, out.result);
    results += valid;
    rise(model);
  }
  CHECK(wrong_valid == 0);
  CHECK(wrong_result == 0);
  CHECK(results > kClocks / 4);
}

}  // namespace
}  // namespace systole::tests
