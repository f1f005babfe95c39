#pragma once

#include <cstdint>
#include <string>

#include "host/driver/buffer.h"
#include "host/driver/data_type.h"

namespace systole {

/// C[rows, cols] = op(A)[rows, depth] * op(B)[depth, cols], or += with accumulate.
///
/// Shapes   row-major, dense. A is [rows, depth], or [depth, rows] with transpose_a;
///          B is [depth, cols], or [cols, depth] with transpose_b; C is [rows, cols].
/// Limits   rows, depth, cols >= 1; int8: depth <= 131,071, so that int32 cannot overflow;
///          C's buffer may not be A's or B's
/// Numbers  docs/numerics.md: bf16 sums are fp32 in the array's order; int8 sums are exact int32;
///          kFp32 is taken by `cpu` alone
struct Matmul {
  Buffer a, b, c;
  std::int64_t rows = 0, depth = 0, cols = 0;
  DataType type = DataType::kBf16;
  bool transpose_a = false;
  bool transpose_b = false;
  bool accumulate = false;
};

/// The largest depth of an int8 product: 131,071 * 128 * 128 still fits int32.
inline constexpr std::int64_t kMaxInt8Depth = 131'071;

/// Bytes of A, B and C as they lie in memory.
struct MatmulSizes {
  std::int64_t a_bytes = 0, b_bytes = 0, c_bytes = 0;
};

/// The sizes that a product's dimensions and type ask for; its buffers are not looked at.
///
/// Errors   std::invalid_argument for a dimension < 1, an int8 depth beyond kMaxInt8Depth, and a
///          matrix whose bytes an int64 cannot count
MatmulSizes matmul_sizes(const Matmul& product);

/// "37 x 129 times 129 x 65, bf16": what a product is, for messages.
std::string describe(const Matmul& product);

}  // namespace systole
