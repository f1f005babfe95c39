#pragma once

#include "hls/kernels/fp32_arithmetic.h"
#include "systole/hls/pipeline.h"

/// Arithmetic on Fp32 for functions over arrays, by units of our own kernels; everywhere else it is
/// the kernels' functions in place.
namespace systole::hls {

inline Fp32 operator+(const Fp32& x, const Fp32& y) {
  return Pipeline<&kernels::fp32_add, kernels::kFp32AddStages>::call(x, y);
}
inline Fp32 operator-(const Fp32& x) {
  return Fp32::from_bits(x.bits() ^ concat(UInt1(1), UInt<31>(0)));
}
inline Fp32 operator-(const Fp32& x, const Fp32& y) { return x + -y; }
inline Fp32 operator*(const Fp32& x, const Fp32& y) {
  return Pipeline<&kernels::fp32_multiply, kernels::kFp32MultiplyStages>::call(x, y);
}
inline Fp32& operator+=(Fp32& x, const Fp32& y) { return x = x + y; }
inline Fp32& operator-=(Fp32& x, const Fp32& y) { return x = x - y; }
inline Fp32& operator*=(Fp32& x, const Fp32& y) { return x = x * y; }
/// Subnormals are zeros, as for sums and products, and nothing compares with a NaN.
inline bool operator==(const Fp32& x, const Fp32& y) {
  const bool are_zero = x.is_zero() && y.is_zero();
  return !x.is_nan() && !y.is_nan() && (are_zero || x.bits() == y.bits());
}
inline bool operator<(const Fp32& x, const Fp32& y) {
  const UInt<31> a = x.is_zero() ? UInt<31>(0) : slice<30, 0>(x.bits());
  const UInt<31> b = y.is_zero() ? UInt<31>(0) : slice<30, 0>(y.bits());
  const bool is_negative = static_cast<bool>(x.sign());
  const bool is_less =
      x.sign() == y.sign() ? (is_negative ? b < a : a < b) : is_negative && !(a == 0 && b == 0);
  return !x.is_nan() && !y.is_nan() && is_less;
}
inline bool operator>(const Fp32& x, const Fp32& y) { return y < x; }
inline bool operator<=(const Fp32& x, const Fp32& y) { return x < y || x == y; }
inline bool operator>=(const Fp32& x, const Fp32& y) { return y <= x; }
/// x * y + z, rounded once.
inline Fp32 multiply_add(const Fp32& x, const Fp32& y, const Fp32& z) {
  return Pipeline<&kernels::fp32_multiply_add, kernels::kFp32MultiplyAddStages>::call(x, y, z);
}

}  // namespace systole::hls
