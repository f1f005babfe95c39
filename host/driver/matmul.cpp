#include "host/driver/matmul.h"

#include <fmt/format.h>

#include <stdexcept>

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

}  // namespace

std::string describe(const Matmul& product) {
  return fmt::format("{} x {} times {} x {}, {}", product.rows, product.depth, product.depth,
                     product.cols, to_string(product.type));
}

MatmulSizes matmul_sizes(const Matmul& product) {
  if (product.rows < 1 || product.depth < 1 || product.cols < 1) {
    throw std::invalid_argument(
        fmt::format("matmul: {}: rows, depth and cols must each be 1 or more", describe(product)));
  }
  if (product.type == DataType::kInt8 && product.depth > kMaxInt8Depth) {
    throw std::invalid_argument(
        fmt::format("matmul: {}: an int8 product's depth is at most {}, so that its int32 sums "
                    "cannot overflow; split it and accumulate",
                    describe(product), kMaxInt8Depth));
  }
  const std::int64_t element = operand_size_bytes(product.type);
  return {.a_bytes = matrix_bytes('A', product.rows, product.depth, element),
          .b_bytes = matrix_bytes('B', product.depth, product.cols, element),
          .c_bytes = matrix_bytes('C', product.rows, product.cols, kSumSizeBytes)};
}

}  // namespace systole
