#pragma once

#include <Vprocessing_element.h>

#include "hls/kernels/processing_element.h"
#include "tests/rtl/operands.h"
#include "tests/rtl/traffic.h"

namespace systole::tests {

/// A kStages that differs from the RTL's makes a pair that must not agree.
template <int kStages = kernels::kMacStages, typename VerilatedModel = Vprocessing_element>
struct ProcessingElementTop {
  using Native = kernels::ProcessingElement<kStages>;
  using Inputs = typename Native::Inputs;
  using Model = VerilatedModel;

  static void inputs(Model& model, const Inputs& in, auto&& visit) {
    visit("operand_activation_i", model.operand_activation_i, in.operand.activation);
    visit("operand_plane_i", model.operand_plane_i, in.operand.plane);
    visit("operand_is_int8_i", model.operand_is_int8_i, in.operand.is_int8);
    visit("weight_value_i", model.weight_value_i, in.weight.value);
    visit("weight_hops_i", model.weight_hops_i, in.weight.hops);
    visit("weight_plane_i", model.weight_plane_i, in.weight.plane);
    visit("weight_valid_i", model.weight_valid_i, in.weight.valid);
    visit("sum_i", model.sum_i, in.sum);
  }
  static void outputs(Model& model, const typename Native::Outputs& out, auto&& visit) {
    visit("operand_activation_o", model.operand_activation_o, out.operand.activation);
    visit("operand_plane_o", model.operand_plane_o, out.operand.plane);
    visit("operand_is_int8_o", model.operand_is_int8_o, out.operand.is_int8);
    visit("weight_value_o", model.weight_value_o, out.weight.value);
    visit("weight_hops_o", model.weight_hops_o, out.weight.hops);
    visit("weight_plane_o", model.weight_plane_o, out.weight.plane);
    visit("weight_valid_o", model.weight_valid_o, out.weight.valid);
    visit("sum_o", model.sum_o, out.sum);
  }

  struct Stimulus {
    /// A weight for each plane, then clocks until their first product has left.
    static constexpr int kPrimeClocks = 4 + kStages;
    void prime(int clock, Inputs& in) {
      in.weight.valid = hls::UInt1(1);
      in.weight.hops = hls::UInt<kernels::kHopBits>(0);
      in.weight.plane = hls::as_bit(clock % 2 == 1);
    }

    Inputs next(Random& random) {
      operands_.clock(random);
      Inputs in;
      in.operand.plane = one_in(random, 2);
      in.operand.is_int8 = is_int8_.next(random);
      in.weight.hops = hls::UInt<kernels::kHopBits>::from(random.below(3) ? 0 : random.bits());
      in.weight.plane = one_in(random, 2);
      in.weight.valid = weight_valid_.next(random);
      in.operand.activation = operands_.operand(random);
      in.weight.value = operands_.operand(random);
      in.sum = operands_.sum(random);
      if (random.below(kClocksOfCase) == 0) case_ = random_mac_case(random);
      if (!is_case_.next(random)) return in;
      in.operand.activation = hls::UInt16::from(case_.activation);
      in.weight.value = hls::UInt16::from(case_.weight);
      in.sum = hls::UInt32::from(case_.sum);
      return in;
    }

   private:
    /// A case stays until its weight is likely to have arrived.
    static constexpr std::uint32_t kClocksOfCase = 5;

    MacCase case_;
    Traffic is_case_;
    Operands operands_;
    Traffic is_int8_;
    Traffic weight_valid_;
  };
};

}  // namespace systole::tests
