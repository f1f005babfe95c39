#pragma once

#include <algorithm>

#include "hls/kernels/matrix_unit.h"
#include "tests/rtl/operands.h"
#include "tests/rtl/traffic.h"

namespace systole::tests {

template <typename VerilatedModel, int kN>
struct MatrixUnitTop {
  static constexpr int kBankRows = kernels::kDefaultBankRows;
  using Native = kernels::MatrixUnit<kN, kBankRows>;
  using Inputs = typename Native::Inputs;
  using Row = typename Native::Row;
  using Model = VerilatedModel;

  static void inputs(Model& model, const Inputs& in, auto&& visit) {
    visit("row_valid_i", model.row_valid_i, in.row_valid);
    visit("activation_i", model.activation_i, in.activation);
    visit("plane_i", model.plane_i, in.plane);
    visit("is_int8_i", model.is_int8_i, in.is_int8);
    visit("row_i", model.row_i, in.row);
    visit("accumulate_i", model.accumulate_i, in.accumulate);
    visit("weight_valid_i", model.weight_valid_i, in.weight_valid);
    visit("weight_i", model.weight_i, in.weight);
    visit("weight_column_i", model.weight_column_i, in.weight_column);
    visit("weight_plane_i", model.weight_plane_i, in.weight_plane);
    visit("preload_valid_i", model.preload_valid_i, in.preload_valid);
    visit("preload_row_i", model.preload_row_i, in.preload_row);
    visit("preload_i", model.preload_i, in.preload);
    visit("read_valid_i", model.read_valid_i, in.read_valid);
    visit("read_row_i", model.read_row_i, in.read_row);
  }
  static void outputs(Model& model, const typename Native::Outputs& out, auto&& visit) {
    visit("result_valid_o", model.result_valid_o, out.result_valid);
    visit("result_o", model.result_o, out.result);
  }

  /// Keeps none of the distances that a sequencer would: both must agree on the result, too.
  struct Stimulus {
    /// Preloads every accumulator row while the array empties; then every weight enters, both banks
    /// are read, and everything under way arrives.
    static constexpr int kPreloads = std::max(2 * kBankRows, Native::kArrayCycles);
    static constexpr int kPrimeClocks =
        kPreloads + 2 * kN + Native::kArrayCycles + Native::kLoopCycles + Native::kReadCycles;
    void prime(int clock, Inputs& in) {
      const int beat = clock - kPreloads;
      in.row_valid = hls::UInt1(0);
      in.preload_valid = hls::as_bit(beat < 0);
      in.preload_row = Row::from(static_cast<unsigned>(clock) % (2 * kBankRows));
      in.read_valid = hls::as_bit(beat >= 0);
      in.read_row = Row::from(static_cast<unsigned>(clock % 2 * kBankRows));
      in.weight_valid = hls::as_bit(0 <= beat && beat < 2 * kN);
      in.weight_column =
          hls::UInt<kernels::kHopBits>::from(static_cast<unsigned>(std::max(beat, 0) % kN));
      in.weight_plane = hls::as_bit(beat >= kN);
    }

    Inputs next(Random& random) {
      operands_.clock(random);
      Inputs in;
      in.row_valid = row_valid_.next(random);
      in.plane = one_in(random, 2);
      in.is_int8 = is_int8_.next(random);
      in.row = row(random);
      in.accumulate = ~one_in(random, 4);
      in.weight_valid = weight_valid_.next(random);
      in.weight_column = weight_column<kN, kernels::kHopBits>(random);
      in.weight_plane = one_in(random, 2);
      in.preload_valid = preload_valid_.next(random);
      in.preload_row = row(random);
      in.read_valid = read_valid_.next(random);
      in.read_row = row(random);
      for (int n = 0; n < kN; ++n) {
        in.activation[n] = operands_.operand(random);
        in.weight[n] = operands_.operand(random);
        in.preload[n] = operands_.sum(random);
      }
      return in;
    }

   private:
    /// Few rows for a while, so that operations meet in them; then others.
    Row row(Random& random) {
      if (random.below(200) == 0) window_ = random.below(kBankRows);
      const std::uint32_t in_bank = (window_ + random.below(6)) % kBankRows;
      return Row::from(random.below(2) * kBankRows + in_bank);
    }

    std::uint32_t window_ = 0;
    Operands operands_;
    Traffic is_int8_;
    Traffic row_valid_;
    Traffic weight_valid_;
    Traffic preload_valid_;
    Traffic read_valid_;
  };
};

}  // namespace systole::tests
