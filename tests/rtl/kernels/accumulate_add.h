#pragma once

#include <Vaccumulate_add.h>

#include "hls/kernels/accumulate_add.h"
#include "tests/rtl/traffic.h"
#include "tests/support/arithmetic_cases.h"

namespace systole::tests {

struct AccumulateAddTop {
  using Native = kernels::AccumulateAdd;
  using Model = Vaccumulate_add;

  static void inputs(Model& model, const Native::Inputs& in, auto&& visit) {
    visit("is_int8_i", model.is_int8_i, in.is_int8);
    visit("accumulate_i", model.accumulate_i, in.accumulate);
    visit("total_i", model.total_i, in.total);
    visit("sum_i", model.sum_i, in.sum);
  }
  static void outputs(Model& model, const Native::Outputs& out, auto&& visit) {
    visit("result_o", model.result_o, out.result);
  }

  struct Stimulus {
    static constexpr int kPrimeClocks = Native::kLatency;
    void prime(int, Native::Inputs&) {}

    Native::Inputs next(Random& random) {
      const AddCase add = random_add_case(random);
      return {.is_int8 = one_in(random, 3),
              .accumulate = ~one_in(random, 5),
              .total = hls::UInt32::from(add.accumulator),
              .sum = hls::UInt32::from(add.tile_sum)};
    }
  };
};

}  // namespace systole::tests
