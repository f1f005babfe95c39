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
/// x * y + z, rounded once.
inline Fp32 multiply_add(const Fp32& x, const Fp32& y, const Fp32& z) {
  return Pipeline<&kernels::fp32_multiply_add, kernels::kFp32MultiplyAddStages>::call(x, y, z);
}

}  // namespace systole::hls
