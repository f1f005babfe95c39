#pragma once

#include "systole/hls/int.h"

namespace systole::kernels {

using namespace systole::hls;

/// A bit that leaves kClocks moves after it entered. Registers without a clock of their own, in
/// words that a simulator shifts at once.
template <int kClocks>
struct DelayLine {
  static constexpr int kWordBits = 64;
  UInt<kWordBits> word_;
  DelayLine<kClocks - kWordBits> behind_;

  UInt1 front() const { return behind_.front(); }

  void move(const UInt1& next) {
    behind_.move(slice<kWordBits - 1, kWordBits - 1>(word_));
    word_ = concat(slice<kWordBits - 2, 0>(word_), next);
  }

  void clear() {
    word_ = UInt<kWordBits>(0);
    behind_.clear();
  }
};

template <int kClocks>
  requires(2 <= kClocks && kClocks <= 64)
struct DelayLine<kClocks> {
  UInt<kClocks> word_;

  UInt1 front() const { return slice<kClocks - 1, kClocks - 1>(word_); }
  void move(const UInt1& next) { word_ = concat(slice<kClocks - 2, 0>(word_), next); }
  void clear() { word_ = UInt<kClocks>(0); }
};

}  // namespace systole::kernels
