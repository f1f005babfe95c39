#pragma once

#include "hls/kernels/matrix_unit.h"
#include "tests/rtl/operands.h"
#include "tests/rtl/traffic.h"

namespace systole::tests {

/// The array as it is in the matrix unit.
template <typename VerilatedModel, int kN>
struct SystolicArrayTop {
  using Unit = kernels::MatrixUnit<kN, kernels::kDefaultBankRows>;
  using Native = typename Unit::Array;
  using Inputs = typename Native::Inputs;
  using Model = VerilatedModel;

  static void inputs(Model& model, const Inputs& in, auto&& visit) {
    visit("activation_i", model.activation_i, in.activation);
    visit("plane_i", model.plane_i, in.plane);
    visit("is_int8_i", model.is_int8_i, in.is_int8);
    visit("tag_i", model.tag_i, in.tag);
    visit("weight_i", model.weight_i, in.weight);
    visit("weight_column_i", model.weight_column_i, in.weight_column);
    visit("weight_plane_i", model.weight_plane_i, in.weight_plane);
    visit("weight_valid_i", model.weight_valid_i, in.weight_valid);
  }
  static void outputs(Model& model, const typename Native::Outputs& out, auto&& visit) {
    visit("tag_o", model.tag_o, out.tag);
    visit("sum_o", model.sum_o, out.sum);
  }

  struct Stimulus {
    /// Empties the array of the weights under way at the start, sets every weight of both planes,
    /// and waits until the rows that met older ones have left.
    static constexpr int kFlushClocks = Native::kLatency;
    static constexpr int kPrimeClocks = kFlushClocks + 2 * kN + Native::kLatency;
    void prime(int clock, Inputs& in) {
      const int beat = clock - kFlushClocks;
      in.weight_valid = hls::as_bit(0 <= beat && beat < 2 * kN);
      in.weight_column =
          hls::UInt<kernels::kHopBits>::from(static_cast<unsigned>(beat < 0 ? 0 : beat % kN));
      in.weight_plane = hls::as_bit(beat >= kN);
    }

    Inputs next(Random& random) {
      operands_.clock(random);
      Inputs in;
      in.plane = one_in(random, 2);
      in.is_int8 = is_int8_.next(random);
      in.tag = hls::UInt<Unit::kTagBits>::from(random.bits());
      in.weight_column = weight_column<kN, kernels::kHopBits>(random);
      in.weight_plane = one_in(random, 2);
      in.weight_valid = weight_valid_.next(random);
      for (int k = 0; k < kN; ++k) {
        in.activation[k] = operands_.operand(random);
        in.weight[k] = operands_.operand(random);
      }
      return in;
    }

   private:
    Operands operands_;
    Traffic is_int8_;
    Traffic weight_valid_;
  };
};

}  // namespace systole::tests
