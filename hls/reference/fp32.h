#pragma once

#include <cstdint>

namespace systole::reference {

/// The numbers of docs/numerics.md, done the slow and certain way: a finite value is a whole number
/// of 2^-266, held in an integer wide enough for every sum of products, and rounded once.
///
/// Limits   |value| < 2^257: any bf16 product plus any fp32
/// Numbers  exact; 2^-266 is the unit of the product of two smallest normal bf16 values
/// Errors   locals of this type are not const: clang 19.1.7 stops on a const one this wide
inline constexpr int kExactBits = 576;
using Exact = signed _BitInt(kExactBits);

inline constexpr std::uint32_t kCanonicalNan = 0x7fc00000;
inline constexpr std::uint32_t kInfinity = 0x7f800000;
inline constexpr std::uint32_t kSignBit = 0x80000000;

/// What a bit pattern stands for, once subnormals are read as zeros.
bool is_nan(std::uint32_t fp32_bits);
bool is_infinite(std::uint32_t fp32_bits);
bool is_zero(std::uint32_t fp32_bits);

/// The value of a finite number, as a whole number of 2^-149 (fp32) or of 2^-133 (bf16).
Exact exact_fp32(std::uint32_t fp32_bits);
Exact exact_bf16(std::uint16_t bf16_bits);

/// The fp32 nearest to value * 2^-266: ties to even, tiny results to signed zero, overflow to
/// infinity. An exact zero is +0.
std::uint32_t round_to_fp32(Exact value);

/// fp32 to bf16: nearest, ties to even, subnormals to signed zero, NaN to 0x7fc0.
std::uint16_t fp32_to_bf16(std::uint32_t fp32_bits);

/// bf16 to fp32; exact.
std::uint32_t bf16_to_fp32(std::uint16_t bf16_bits);

}  // namespace systole::reference
