#pragma once

namespace systole::hls {

/// kSize values side by side: a port of kSize lanes, or an array of registers.
///
/// Limits   the index is not checked; `hlsc` refuses one that it cannot prove to be in range
template <typename T, int kSize>
struct Vec {
  static_assert(kSize >= 1, "a Vec has at least one lane");
  static constexpr int kLanes = kSize;

  T lane[kSize];

  constexpr T& operator[](int index) { return lane[index]; }
  constexpr const T& operator[](int index) const { return lane[index]; }
};

}  // namespace systole::hls
