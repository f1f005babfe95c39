#pragma once

namespace systole::tests {

/// Error bounds of matrix products, derived in docs/numerics.md section 5.
///
/// Units    a factor of S = sum over k of |a||b|, plus |c| when accumulating into c
/// Limits   results neither overflow nor come near 2^-126

/// A bit-exact backend against the exact product of the same bf16 operands.
/// Limits   N + ceil(K / N) <= 1023
inline constexpr double kBf16MatmulTolerance = 0x1p-14;

/// The product of operands rounded to bf16 against the product of the unrounded ones. bf16 has 8
/// bits of significand, so its neighbours lie at most 2v apart, relative to the smaller, with v =
/// 2^-8. A rounding changes x by at most v / (1 + v) of |x|: the most, where x lies halfway from a
/// power of two to the next bf16. Both operands of a product are rounded, and (1 + v / (1 + v))^2 -
/// 1 < 2v.
inline constexpr double kBf16OperandTolerance = 0x1p-7;

/// An fp32 product, summed in any order, against the exact one.
/// Limits   K <= 4094
inline constexpr double kFp32MatmulTolerance = 0x1p-12;

}  // namespace systole::tests
