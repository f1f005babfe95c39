#pragma once

#include <bit>
#include <cstdint>

namespace systole::nn {

/// e^x, written so that loops over it become vector instructions.
///
/// Limits   x is taken as -87 below that and as 88 above it; NaN stays NaN
/// Numbers  relative error below 3e-7; the same bits on every machine, which std::exp does not
///          promise
inline float exponential(float x) {
  x = x < -87.0f ? -87.0f : x;
  x = x > 88.0f ? 88.0f : x;
  // e^x = 2^n e^r with |r| <= ln(2) / 2. Adding 1.5 * 2^23 rounds to the nearest whole n, which
  // then stands in the sum's low bits.
  constexpr float kRounder = 0x1.8p23f;
  constexpr float kLog2E = 0x1.715476p0f;
  constexpr float kLn2High = 0x1.62e4p-1f;  // short, so that n times it is exact
  constexpr float kLn2Low = 0x1.7f7d1cp-20f;
  const float shifted = x * kLog2E + kRounder;
  const float n = shifted - kRounder;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  float series = 1.0f / 720.0f;
  series = series * r + 1.0f / 120.0f;
  series = series * r + 1.0f / 24.0f;
  series = series * r + 1.0f / 6.0f;
  series = series * r + 0.5f;
  series = series * r + 1.0f;
  series = series * r + 1.0f;
  constexpr std::uint32_t kExponentShift = 23, kExponentBias = 127;
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(shifted) + kExponentBias;
  return series * std::bit_cast<float>(exponent << kExponentShift);
}

/// 1 / (1 + e^-x); absolute error below 3e-7.
inline float sigmoid(float x) { return 1.0f / (1.0f + exponential(-x)); }

/// (e^2x - 1) / (e^2x + 1); absolute error below 3e-7.
inline float hyperbolic_tangent(float x) { return 1.0f - 2.0f / (exponential(2.0f * x) + 1.0f); }

}  // namespace systole::nn
