#pragma once

#include <immintrin.h>

#include <cstdint>

namespace systole::tests {

/// Sets flush-to-zero and denormals-are-zero, all exceptions masked, for the life of the object;
/// the mode that docs/numerics.md describes. One per thread.
class FlushSubnormals {
 public:
  FlushSubnormals() : saved_(_mm_getcsr()) { _mm_setcsr(0x1f80 | 0x8000 | 0x0040); }
  ~FlushSubnormals() { _mm_setcsr(saved_); }
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;

 private:
  unsigned saved_;
};

/// Replaces every NaN by the one NaN of the contract, the only difference between it and x86.
inline std::uint32_t canonical(std::uint32_t bits) {
  return (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : bits;
}

/// The results of this machine's vfmadd and vaddss. Call under FlushSubnormals. The asm keeps the
/// compiler from folding or moving the operation, for which it would use its own rounding mode.
inline std::uint32_t x86_mac_bf16(std::uint16_t activation, std::uint16_t weight,
                                  std::uint32_t sum) {
  __m128 a = _mm_castsi128_ps(_mm_cvtsi32_si128(static_cast<int>(std::uint32_t{activation} << 16)));
  __m128 b = _mm_castsi128_ps(_mm_cvtsi32_si128(static_cast<int>(std::uint32_t{weight} << 16)));
  __m128 c = _mm_castsi128_ps(_mm_cvtsi32_si128(static_cast<int>(sum)));
  asm volatile("vfmadd231ss %1, %2, %0" : "+x"(c) : "x"(a), "x"(b));
  return canonical(static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_castps_si128(c))));
}

inline std::uint32_t x86_add_fp32(std::uint32_t accumulator, std::uint32_t tile_sum) {
  __m128 a = _mm_castsi128_ps(_mm_cvtsi32_si128(static_cast<int>(accumulator)));
  __m128 b = _mm_castsi128_ps(_mm_cvtsi32_si128(static_cast<int>(tile_sum)));
  asm volatile("vaddss %1, %0, %0" : "+x"(a) : "x"(b));
  return canonical(static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_castps_si128(a))));
}

/// False on a CPU without fused multiply-add, where these would stop the program.
inline bool cpu_has_fma() { return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx"); }

}  // namespace systole::tests
