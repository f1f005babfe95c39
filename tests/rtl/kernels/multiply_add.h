#pragma once

#include <Vmultiply_add.h>

#include "hls/kernels/multiply_add.h"
#include "tests/rtl/traffic.h"
#include "tests/support/arithmetic_cases.h"

namespace systole::tests {

struct MultiplyAddTop {
  using Native = kernels::MultiplyAdd;
  using Model = Vmultiply_add;

  static void inputs(Model& model, const Native::Inputs& in, auto&& visit) {
    visit("is_int8_i", model.is_int8_i, in.is_int8);
    visit("activation_i", model.activation_i, in.activation);
    visit("weight_i", model.weight_i, in.weight);
    visit("sum_i", model.sum_i, in.sum);
  }
  static void outputs(Model& model, const Native::Outputs& out, auto&& visit) {
    visit("result_o", model.result_o, out.result);
  }

  struct Stimulus {
    static constexpr int kPrimeClocks = Native::kLatency;
    void prime(int, Native::Inputs&) {}

    Native::Inputs next(Random& random) {
      const MacCase mac = random_mac_case(random);
      return {.is_int8 = one_in(random, 3),
              .activation = hls::UInt16::from(mac.activation),
              .weight = hls::UInt16::from(mac.weight),
              .sum = hls::UInt32::from(mac.sum)};
    }
  };
};

}  // namespace systole::tests
