#pragma once

#include <Vaccumulators.h>

#include "hls/kernels/accumulators.h"
#include "tests/rtl/operands.h"
#include "tests/rtl/traffic.h"

namespace systole::tests {

template <typename VerilatedModel>
struct BasicAccumulatorsTop {
  static constexpr int kN = 4;
  static constexpr int kBankRows = 16;
  using Native = kernels::Accumulators<kN, kBankRows>;
  using Inputs = typename Native::Inputs;
  using Model = VerilatedModel;

  static void inputs(Model& model, const Inputs& in, auto&& visit) {
    visit("sum_valid_i", model.sum_valid_i, in.sum_valid);
    visit("sum_row_i", model.sum_row_i, in.sum_row);
    visit("accumulate_i", model.accumulate_i, in.accumulate);
    visit("is_int8_i", model.is_int8_i, in.is_int8);
    visit("sum_i", model.sum_i, in.sum);
    visit("preload_valid_i", model.preload_valid_i, in.preload_valid);
    visit("preload_row_i", model.preload_row_i, in.preload_row);
    visit("preload_i", model.preload_i, in.preload);
    visit("read_valid_i", model.read_valid_i, in.read_valid);
    visit("read_row_i", model.read_row_i, in.read_row);
  }
  static void outputs(Model& model, const Native::Outputs& out, auto&& visit) {
    visit("result_valid_o", model.result_valid_o, out.result_valid);
    visit("result_o", model.result_o, out.result);
  }

  /// Keeps none of the distances that a sequencer would: both must agree on collisions, too.
  struct Stimulus {
    /// Preloads every row, reads both banks, and empties the adders.
    static constexpr int kPreloads = 2 * kBankRows;
    static constexpr int kPrimeClocks = kPreloads + 2 + Native::kLoopCycles + Native::kReadCycles;
    void prime(int clock, Inputs& in) {
      const auto row = [](int index) {
        return Native::Row::from(static_cast<unsigned>(index % 2 * kBankRows + index / 2));
      };
      in.sum_valid = hls::UInt1(0);
      in.preload_valid = hls::as_bit(clock < kPreloads);
      in.preload_row = row(clock % kPreloads);
      in.read_valid = hls::as_bit(clock >= kPreloads);
      in.read_row = row(clock % 2);
    }

    Inputs next(Random& random) {
      operands_.clock(random);
      Inputs in;
      in.sum_valid = sum_valid_.next(random);
      in.sum_row = row(random);
      in.accumulate = ~one_in(random, 4);
      in.is_int8 = is_int8_.next(random);
      in.preload_valid = preload_valid_.next(random);
      in.preload_row = row(random);
      in.read_valid = read_valid_.next(random);
      in.read_row = row(random);
      if (random.below(kClocksOfCase) == 0) case_ = random_add_case(random);
      for (int n = 0; n < kN; ++n) {
        const bool is_case = n % 2 == 0;
        in.sum[n] = is_case ? hls::UInt32::from(case_.tile_sum) : operands_.sum(random);
        in.preload[n] = is_case ? hls::UInt32::from(case_.accumulator) : operands_.sum(random);
      }
      return in;
    }

   private:
    /// A case stays until its sum is likely to have met its row.
    static constexpr std::uint32_t kClocksOfCase = 8;

    /// Few rows for a while, so that operations meet in them; then others.
    Native::Row row(Random& random) {
      if (random.below(100) == 0) window_ = random.below(kBankRows);
      const std::uint32_t in_bank = (window_ + random.below(3)) % kBankRows;
      return Native::Row::from(random.below(2) * kBankRows + in_bank);
    }

    std::uint32_t window_ = 0;
    AddCase case_;
    Operands operands_;
    Traffic is_int8_;
    Traffic sum_valid_;
    Traffic preload_valid_;
    Traffic read_valid_;
  };
};

using AccumulatorsTop = BasicAccumulatorsTop<Vaccumulators>;

}  // namespace systole::tests
