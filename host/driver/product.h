#pragma once

#include <cstdint>
#include <string_view>

#include "host/driver/buffer.h"
#include "host/driver/data_type.h"
#include "host/driver/matmul.h"

namespace systole {

/// What C holds: the sums (fp32, or int32 of an int8 product), or those rounded to bf16.
enum class ResultType : std::uint8_t { kSums, kBf16 };

/// What happens to a product's sums on their way into C, without leaving the device:
///
///   sums = bias + A B, then ReLU, then the mask, then rounding; column_sums = 1^T B
///
/// Shapes   bias, column_sums [cols], of sums; mask [rows, cols] of mask_type, dense. A buffer that
///          is not given is not used
/// Limits   bias, column_sums and accumulate exclude each other; accumulate needs kSums; kBf16
/// needs
///          fp32 sums; mask_type kFp32 on `cpu` alone
/// Numbers  docs/numerics.md: the sums start from the bias as they would from C. ReLU: what has its
///          sign set becomes +0. mask: where the element is not greater than zero, the result is +0
struct Epilogue {
  Buffer bias = {};
  Buffer mask = {};
  DataType mask_type = DataType::kBf16;
  bool relu = false;
  ResultType result = ResultType::kSums;
  Buffer column_sums = {};
};

/// A matrix product with its epilogue: what a device executes.
struct Product {
  Matmul matmul;
  Epilogue epilogue = {};
};

/// Bytes of one element of C.
constexpr std::int64_t result_size_bytes(ResultType type) {
  return type == ResultType::kBf16 ? 2 : kSumSizeBytes;
}

/// Checks what a product's epilogue asks for, its buffers' sizes included.
///
/// Errors   std::invalid_argument with the shapes, for what Epilogue does not allow
void check_epilogue(const Product& product);

}  // namespace systole
