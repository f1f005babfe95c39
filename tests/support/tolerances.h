#pragma once

namespace systole::tests {

/// Error bounds of matrix products, derived in docs/numerics.md section 5.
///
/// Units    a factor of S = sum over k of |a||b|, plus |c| when accumulating into c
/// Limits   results neither overflow nor come near 2^-126

/// A bit-exact backend against the exact product of the same bf16 operands.
/// Limits   N + ceil(K / N) <= 1023
inline constexpr double kBf16MatmulTolerance = 0x1p-14;

/// The product of operands rounded to bf16 against the product of the unrounded ones.
inline constexpr double kBf16OperandTolerance = 0x1p-8 + 0x1p-18;

/// An fp32 product, summed in any order, against the exact one.
/// Limits   K <= 4094
inline constexpr double kFp32MatmulTolerance = 0x1p-12;

}  // namespace systole::tests
