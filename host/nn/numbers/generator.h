#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace systole::nn {

/// Pseudo-random numbers that are the same with every compiler and library, which the standard
/// distributions are not.
///
/// Numbers  SplitMix64: the state steps by 0x9e3779b97f4a7c15 and is mixed by two multiplications;
///          period 2^64. Not for secrets.
/// Source   Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014
class Generator {
 public:
  /// Streams of one seed are independent for all practical purposes: one per layer, one per epoch.
  explicit Generator(std::uint64_t seed, std::uint64_t stream = 0)
      : state_(mix(seed) ^ mix(stream + kStep)) {}

  std::uint64_t next() { return mix(state_ += kStep); }

  /// 0 <= value < 1, in steps of 2^-24: every value is exact in fp32.
  float uniform() { return static_cast<float>(next() >> 40) * 0x1p-24f; }

  /// low <= value <= high (rounding may reach high).
  float uniform(float low, float high) { return low + (high - low) * uniform(); }

  /// 0 <= value < bound, unbiased to 2^-64 * bound.
  std::uint64_t below(std::uint64_t bound) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(next()) * bound >> 64);
  }

  /// Fisher-Yates.
  template <typename T>
  void shuffle(std::span<T> items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;

  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace systole::nn
