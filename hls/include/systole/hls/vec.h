#pragma once

#include <cassert>

namespace systole::hls {

/// kSize values side by side: a port of kSize lanes, or an array of registers.
///
/// Limits   0 <= index < kSize; `hlsc` refuses an index that it cannot prove to be in range
/// Errors   natively, an index out of range ends a debug build
template <typename T, int kSize>
struct Vec {
  static_assert(kSize >= 1, "a Vec has at least one lane");
  static constexpr int kLanes = kSize;

  T lane[kSize];

  constexpr T& operator[](int index) {
    check(index);
    return lane[index];
  }
  constexpr const T& operator[](int index) const {
    check(index);
    return lane[index];
  }
  /// For range-for and the algorithms of the standard library.
  constexpr T* begin() { return lane; }
  constexpr T* end() { return lane + kSize; }
  constexpr const T* begin() const { return lane; }
  constexpr const T* end() const { return lane + kSize; }

 private:
  static constexpr void check([[maybe_unused]] int index) {
#ifndef SYSTOLE_HLSC
    assert(index >= 0 && index < kSize);
#endif
  }
};

}  // namespace systole::hls
