#pragma once

#include "hls/kernels/engine.h"

namespace systole::kernels {

/// Transposes tiles of kN words of kN elements on their way: element i of word j that leaves is
/// element j of word i that entered. While one tile leaves, the next enters.
///
/// Registers [row][column], of which words enter at the bottom row and leave at the top one, or
/// enter at the last column and leave at the first one. A tile whose words entered one way and
/// leave the other way is transposed; one that keeps its way leaves as it entered.
///
/// Shapes   word[kN]
/// Timing   the word shown is the one that entered kN steps earlier, or its tile's transpose.
///          `turn` changes the way after the step of a tile's last word, for that tile to leave
///          transposed; tiles begin every kN steps while any tile in it is to be transposed
/// Limits   a tile that nothing follows is pushed out by steps with `blank`
template <int kN, bool kData = true>
struct Turner {
  struct Inputs {
    UInt1 step;                            ///< a word enters and the next is shown
    UInt1 blank;                           ///< a word of zeros enters in place of `word`
    UInt1 turn;                            ///< the way changes after this step
    Carried<Vec<UInt16, kN>, kData> word;  ///< the word that enters
  };
  struct Outputs {
    Carried<Vec<UInt16, kN>, kData> word;  ///< the word that leaves
  };

  Outputs outputs() const {
    Outputs out;
    if constexpr (kData) {
#pragma unroll
      for (int i = 0; i < kN; ++i) out.word[i] = by_columns_ ? element_[i * kN] : element_[i];
    }
    return out;
  }

  void clock(const Inputs& in) {
    if constexpr (kData) step(in);
    if (in.turn) by_columns_ = ~by_columns_;
  }

  void reset() { by_columns_ = UInt1(0); }

 private:
  void step(const Inputs& in) {
    if (in.step && by_columns_) {
      for (int i = 0; i < kN * kN - 1; ++i) element_[i] = element_[i + 1];
      for (int i = 0; i < kN; ++i) {
        element_[i * kN + kN - 1] = in.blank ? UInt16(0) : in.word[i];
      }
    } else if (in.step) {
      for (int i = 0; i < kN * (kN - 1); ++i) element_[i] = element_[i + kN];
      for (int i = 0; i < kN; ++i) element_[kN * (kN - 1) + i] = in.blank ? UInt16(0) : in.word[i];
    }
  }

  UInt16 element_[kN * kN];
  UInt1 by_columns_;
};

}  // namespace systole::kernels
