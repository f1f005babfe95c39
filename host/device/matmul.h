#pragma once

#include <cstdint>
#include <string>

#include "host/device/buffer.h"
#include "host/device/data_type.h"
#include "host/device/product.h"

namespace systole {

/// C[rows, cols] = op(A)[rows, depth] * op(B)[depth, cols], or += with accumulate.
///
/// Shapes   row-major, dense. A is [rows, depth], or [depth, rows] with transpose_a;
///          B is [depth, cols], or [cols, depth] with transpose_b; C is [rows, cols]
/// Limits   rows, depth, cols >= 1; int8: depth <= 131,071, which keeps int32 from overflowing;
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

/// The form of C: the sums (fp32, or int32 for an int8 product), or the sums rounded to bf16.
enum class ResultType : std::uint8_t { kSums, kBf16 };

/// What the device does to a product's sums on their way into C:
///
///   sums = bias + A B, then ReLU, then the mask, then rounding; column_sums = 1^T B
///
/// Shapes   bias, column_sums [cols], typed as sums; mask [rows, cols] of mask_type, dense. An
///          empty buffer stands for none
/// Limits   bias, column_sums and accumulate exclude each other; accumulate needs kSums; kBf16
///          needs fp32 sums; mask_type kFp32 on `cpu` alone
/// Numbers  docs/numerics.md: the sums start from the bias as they would from C. ReLU: a sum with
///          its sign set becomes +0. mask: where its element is not greater than zero, the result
///          is +0
struct Epilogue {
  Buffer bias = {};
  Buffer mask = {};
  DataType mask_type = DataType::kBf16;
  bool relu = false;
  ResultType result = ResultType::kSums;
  Buffer column_sums = {};
};

/// The largest depth of an int8 product: 131,071 * 128 * 128 still fits int32.
inline constexpr std::int64_t kMaxInt8Depth = 131'071;

/// Bytes of A, B and the sums in C.
struct MatmulSizes {
  std::int64_t a_bytes = 0, b_bytes = 0, c_bytes = 0;
};

/// The sizes that follow from a product's dimensions and type; its buffers are ignored.
///
/// Errors   std::invalid_argument for a dimension < 1, an int8 depth above kMaxInt8Depth, and a
///          matrix whose bytes an int64 cannot count
MatmulSizes matmul_sizes(const Matmul& matmul);

/// The product with its buffers' addresses; nothing is checked.
Product product_of(const Matmul& matmul, const Epilogue& epilogue = {});

/// The product in words, for messages: "37 x 129 times 129 x 65, bf16".
std::string describe(const Matmul& matmul);

/// Checks that a device can execute a product.
///
/// Errors   std::invalid_argument with the shapes for anything that Matmul and Epilogue forbid, a
///          type that the device does not multiply, and a buffer that is missing, too small or on
///          another device
void check(const Matmul& matmul, const Epilogue& epilogue, const Backend& backend);

}  // namespace systole
