#pragma once

#include <cstdint>

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

}  // namespace systole
