#include "host/device/matmul.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "host/device/backend.h"

namespace systole {
namespace {

std::int64_t matrix_bytes(char name, std::int64_t rows, std::int64_t cols, std::int64_t element) {
  std::int64_t elements = 0;
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(rows, cols, &elements) ||
      __builtin_mul_overflow(elements, element, &bytes)) {
    throw std::invalid_argument(
        fmt::format("matmul: {} is {} x {}, more bytes than can be counted", name, rows, cols));
  }
  return bytes;
}

[[noreturn]] void refuse(const Matmul& matmul, std::string_view why) {
  throw std::invalid_argument(fmt::format("matmul: {}: {}", describe(matmul), why));
}

void check_type(const Matmul& matmul, const Backend& backend) {
  if (backend.supports(matmul.type)) return;
  std::vector<std::string_view> types;
  for (const DataType type : {DataType::kFp32, DataType::kBf16, DataType::kInt8}) {
    if (backend.supports(type)) types.push_back(to_string(type));
  }
  refuse(matmul, fmt::format("device '{}' multiplies {} only", backend.info().name,
                             fmt::join(types, " and ")));
}

void check_matrix(const Matmul& matmul, char name, const Buffer& buffer, std::int64_t rows,
                  std::int64_t cols, bool transposed, std::string_view type,
                  std::int64_t needed_bytes, const Backend& backend) {
  check_buffer("matmul", std::string_view(&name, 1), buffer, backend);
  if (buffer.size_bytes() >= needed_bytes) return;
  if (transposed) std::swap(rows, cols);
  throw std::invalid_argument(fmt::format(
      "matmul: {} is {} x {} {} and needs {} bytes, its buffer has {} (the product is {})", name,
      rows, cols, type, needed_bytes, buffer.size_bytes(), describe(matmul)));
}

void check_matrices(const Matmul& matmul, ResultType result, const Backend& backend) {
  const MatmulSizes sizes = matmul_sizes(matmul);
  check_type(matmul, backend);
  const std::string_view type = to_string(matmul.type);
  const bool is_bf16 = result == ResultType::kBf16;
  check_matrix(matmul, 'A', matmul.a, matmul.rows, matmul.depth, matmul.transpose_a, type,
               sizes.a_bytes, backend);
  check_matrix(matmul, 'B', matmul.b, matmul.depth, matmul.cols, matmul.transpose_b, type,
               sizes.b_bytes, backend);
  check_matrix(matmul, 'C', matmul.c, matmul.rows, matmul.cols, false,
               is_bf16                          ? "bf16"
               : matmul.type == DataType::kInt8 ? "int32"
                                                : "fp32",
               is_bf16 ? sizes.c_bytes / 2 : sizes.c_bytes, backend);
  if (matmul.c == matmul.a || matmul.c == matmul.b) {
    refuse(matmul, fmt::format("C shares its buffer with {}; give it one of its own",
                               matmul.c == matmul.a ? 'A' : 'B'));
  }
}

void check_extra(const Matmul& matmul, std::string_view name, const Buffer& buffer,
                 std::int64_t needed_bytes, const Backend& backend) {
  if (!buffer) return;
  check_buffer("matmul", name, buffer, backend);
  if (buffer.size_bytes() >= needed_bytes) return;
  refuse(matmul, fmt::format("{} needs {} bytes, its buffer has {}", name, needed_bytes,
                             buffer.size_bytes()));
}

}  // namespace

std::string describe(const Product& product) {
  return fmt::format("{} x {} times {} x {}, {}", product.rows, product.depth, product.depth,
                     product.cols, to_string(product.type));
}

std::string describe(const Matmul& matmul) { return describe(product_of(matmul)); }

MatmulSizes matmul_sizes(const Matmul& matmul) {
  if (matmul.rows < 1 || matmul.depth < 1 || matmul.cols < 1) {
    refuse(matmul, "rows, depth and cols must each be 1 or more");
  }
  if (matmul.type == DataType::kInt8 && matmul.depth > kMaxInt8Depth) {
    refuse(matmul, fmt::format("an int8 product's depth is at most {}, so that its int32 sums "
                               "cannot overflow; split it and accumulate",
                               kMaxInt8Depth));
  }
  const std::int64_t element = operand_size_bytes(matmul.type);
  return {.a_bytes = matrix_bytes('A', matmul.rows, matmul.depth, element),
          .b_bytes = matrix_bytes('B', matmul.depth, matmul.cols, element),
          .c_bytes = matrix_bytes('C', matmul.rows, matmul.cols, kSumSizeBytes)};
}

Product product_of(const Matmul& matmul, const Epilogue& epilogue) {
  return {.a = matmul.a.address(),
          .b = matmul.b.address(),
          .c = matmul.c.address(),
          .bias = epilogue.bias.address(),
          .mask = epilogue.mask.address(),
          .column_sums = epilogue.column_sums.address(),
          .rows = matmul.rows,
          .depth = matmul.depth,
          .cols = matmul.cols,
          .type = matmul.type,
          .mask_type = epilogue.mask_type,
          .transpose_a = matmul.transpose_a,
          .transpose_b = matmul.transpose_b,
          .accumulate = matmul.accumulate,
          .relu = epilogue.relu,
          .format = epilogue.result == ResultType::kBf16 ? device::StoreFormat::kBf16
                                                         : device::StoreFormat::kWord32};
}

void check(const Matmul& matmul, const Epilogue& epilogue, const Backend& backend) {
  check_matrices(matmul, epilogue.result, backend);
  if ((epilogue.bias ? 1 : 0) + (epilogue.column_sums ? 1 : 0) + (matmul.accumulate ? 1 : 0) > 1) {
    refuse(matmul, "bias, column sums and accumulate exclude each other: choose one");
  }
  if (epilogue.result == ResultType::kBf16 && matmul.accumulate) {
    refuse(matmul, "accumulating needs C to hold sums, not bf16");
  }
  if (epilogue.result == ResultType::kBf16 && matmul.type == DataType::kInt8) {
    refuse(matmul, "an int8 product has int32 sums, which cannot be stored as bf16");
  }
  if (epilogue.mask && epilogue.mask_type == DataType::kFp32 && matmul.type != DataType::kFp32) {
    refuse(matmul, "an fp32 mask goes with an fp32 product: give it as bf16 or int8");
  }
  check_extra(matmul, "the bias", epilogue.bias, matmul.cols * kSumSizeBytes, backend);
  check_extra(matmul, "column sums", epilogue.column_sums, matmul.cols * kSumSizeBytes, backend);
  check_extra(matmul, "the mask", epilogue.mask,
              matmul.rows * matmul.cols * operand_size_bytes(epilogue.mask_type), backend);
  for (const Buffer* read : {&matmul.a, &matmul.b, &epilogue.bias, &epilogue.mask}) {
    if (!*read) continue;
    if (matmul.c == *read || epilogue.column_sums == *read) {
      refuse(matmul, "its result shares a buffer with an operand; give it one of its own");
    }
  }
  if (epilogue.column_sums && epilogue.column_sums == matmul.c) {
    refuse(matmul, "column sums share their buffer with C; give them one of their own");
  }
}

}  // namespace systole
