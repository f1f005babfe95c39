#pragma once

#include <cstdint>

namespace systole::cosim {

/// SplitMix64: a random generator whose whole state is one word, so that block `b` of a campaign
/// can be seeded alone and its cases do not depend on the number of threads.
///
/// Source   Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint32_t bits32() { return static_cast<std::uint32_t>(bits()); }
  std::uint16_t bits16() { return static_cast<std::uint16_t>(bits()); }

  /// 0 .. count - 1; the bias is below 2^-32 for the small counts that tests use.
  std::uint32_t below(std::uint32_t count) {
    return static_cast<std::uint32_t>(((bits() >> 32) * count) >> 32);
  }
  /// low .. high, both included.
  int between(int low, int high) {
    return low + static_cast<int>(below(static_cast<std::uint32_t>(high - low + 1)));
  }

 private:
  std::uint64_t state_;
};

}  // namespace systole::cosim
