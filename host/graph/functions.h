#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

// Functions of one element. The float overloads vectorise; the double overloads are the oracles.
//
// Limits   float results below 2^-126 may be 0
// Numbers  float: within 2 ulp of the true value, logistic 2.5, inverse error function 4
// (tests/graph/functions_test.cpp)
namespace systole::graph {

inline double exponential(double x) { return std::exp(x); }
inline double exponential_minus_one(double x) { return std::expm1(x); }
inline double logarithm(double x) { return std::log(x); }
inline double log_plus_one(double x) { return std::log1p(x); }
inline double hyperbolic_tangent(double x) { return std::tanh(x); }
inline double logistic(double x) { return 1 / (1 + std::exp(-x)); }
inline float inverse_error_function(float x);
/// Newton's steps from the float.
inline double inverse_error_function(double x) {
  double y = inverse_error_function(static_cast<float>(x));
  for (int step = 0; step < 3 && std::isfinite(y); ++step) {
    const double size = std::fabs(y), wanted = std::fabs(x);
    const double over = wanted < 0.5 ? std::erf(size) - wanted : (1 - wanted) - std::erfc(size);
    y = std::copysign(size - over * std::exp(size * size) / std::numbers::inv_sqrtpi / 2, x);
  }
  return y;
}

/// e^x = 2^n (1 + series), with series = e^r - 1 and |r| <= ln(2) / 2. Adding 1.5 * 2^23 rounds to
/// the nearest whole n.
struct ExponentialParts {
  std::int32_t n;
  float series;
};
inline ExponentialParts exponential_parts(float x) {
  constexpr float kRounder = 0x1.8p23f;
  constexpr float kLog2E = 0x1.715476p0f;
  constexpr float kLn2High = 0x1.62e4p-1f;  // few bits, so that n times it is exact
  constexpr float kLn2Low = 0x1.7f7d1cp-20f;
  const float shifted = x * kLog2E + kRounder;
  const float n = shifted - kRounder;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  float series = 1.0f / 5040.0f;
  series = series * r + 1.0f / 720.0f;
  series = series * r + 1.0f / 120.0f;
  series = series * r + 1.0f / 24.0f;
  series = series * r + 1.0f / 6.0f;
  series = series * r + 0.5f;
  series = series * r * r + r;
  return {std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kRounder), series};
}

inline float power_of_two(std::int32_t n) { return std::bit_cast<float>((n + 127) << 23); }

inline float exponential(float x) {
  constexpr float kLargest = 88.72284f, kSmallest = -87.33655f;
  const float inside = x < kSmallest ? kSmallest : (x > kLargest ? kLargest : x);
  const auto [n, series] = exponential_parts(inside);
  // Two factors: for the largest results n is 128, which no exponent can hold.
  const std::int32_t half = n >> 1;
  const float first = power_of_two(half);
  const float result = (series * first + first) * power_of_two(n - half);
  const float above = x > kLargest ? std::numeric_limits<float>::infinity() : result;
  return x < kSmallest ? 0.0f : above;
}

/// Through x = m 2^e with m in [sqrt(1/2), sqrt(2)).
/// Source  the polynomial of Cephes' logf
inline float logarithm(float x) {
  const std::int32_t bits = std::bit_cast<std::int32_t>(x);
  constexpr std::int32_t kRootHalf = 0x3f3504f3;
  const std::int32_t exponent = (bits - kRootHalf) >> 23;
  const float f = std::bit_cast<float>(bits - (exponent << 23)) - 1.0f;
  const auto e = static_cast<float>(exponent);
  float series = 7.0376836292e-2f;
  series = series * f - 1.1514610310e-1f;
  series = series * f + 1.1676998740e-1f;
  series = series * f - 1.2420140846e-1f;
  series = series * f + 1.4249322787e-1f;
  series = series * f - 1.6668057665e-1f;
  series = series * f + 2.0000714765e-1f;
  series = series * f - 2.4999993993e-1f;
  series = series * f + 3.3333331174e-1f;
  const float square = f * f;
  const float low = series * f * square + e * -2.12194440e-4f - 0.5f * square;
  const float finite = (f + low) + e * 0.693359375f;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float positive = x < kInfinity ? finite : x;  // infinity and NaN are unchanged
  const float not_negative = x == 0.0f ? -kInfinity : positive;
  return x < 0.0f ? std::numeric_limits<float>::quiet_NaN() : not_negative;
}

/// 2^n - 1 is exact; subtracting 1 from e^x would cancel.
inline float exponential_minus_one(float x) {
  constexpr float kNear = 16.0f;
  const float inside = x < -kNear ? -kNear : (x > kNear ? kNear : x);
  const auto [n, series] = exponential_parts(inside);
  const float scale = power_of_two(n);
  const float near = series * scale + (scale - 1.0f);
  return std::fabs(x) <= kNear ? near : exponential(x) - 1.0f;
}

/// The logarithm of u, which is 1 + x rounded, corrected for the rounding.
inline float log_plus_one(float x) {
  const float u = 1.0f + x;
  const float lost = (x - (u - 1.0f)) / u;
  const float log_u = logarithm(u);
  return u > 0.0f && u < std::numeric_limits<float>::infinity() ? log_u + lost : log_u;
}

/// Source  the polynomial of Cephes' tanhf
inline float hyperbolic_tangent(float x) {
  const float square = x * x;
  float series = -5.70498872745e-3f;
  series = series * square + 2.06390887954e-2f;
  series = series * square - 5.37397155531e-2f;
  series = series * square + 1.33314422036e-1f;
  series = series * square - 3.33332819422e-1f;
  const float near = series * square * x + x;
  const float size = std::fabs(x);
  const float far = 1.0f - 2.0f / (exponential(2.0f * size) + 1.0f);
  return size < 0.625f ? near : std::copysign(far, x);
}

/// With e^-|x|, which never overflows.
inline float logistic(float x) {
  const float e = exponential(-std::fabs(x));
  return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

/// The y whose erf(y) is x: a polynomial in w = -log(1 - x^2), which is exact near 1 as a product.
/// Source  M. Giles, "Approximating the erfinv function", GPU Computing Gems, 2011
inline float inverse_error_function(float x) {
  const float size = std::fabs(x);
  const float outer = logarithm((1.0f - size) * (1.0f + size));
  const float w = -(size < 0.5f ? log_plus_one(-x * x) : outer);
  const auto polynomial = [](float t, const auto&... coefficients) {
    float sum = 0.0f;
    ((sum = sum * t + coefficients), ...);
    return sum;
  };
  const float near =
      polynomial(w - 2.5f, 2.81022636e-08f, 3.43273939e-07f, -3.5233877e-06f, -4.39150654e-06f,
                 0.00021858087f, -0.00125372503f, -0.00417768164f, 0.246640727f, 1.50140941f);
  const float far = polynomial(std::sqrt(w) - 3.0f, -0.000200214257f, 0.000100950558f,
                               0.00134934322f, -0.00367342844f, 0.00573950773f, -0.0076224613f,
                               0.00943887047f, 1.00167406f, 2.83297682f);
  const float inside = (w < 5.0f ? near : far) * x;
  return size == 1.0f ? std::copysign(std::numeric_limits<float>::infinity(), x) : inside;
}

}  // namespace systole::graph
