#include "sim/model/product_runner.h"

#include <cstring>

#include "host/driver/element_size.h"

namespace systole {
namespace {

Matmul shape_of(const Product& product) {
  Matmul shape;
  shape.rows = product.rows;
  shape.depth = product.depth;
  shape.cols = product.cols;
  shape.type = product.type;
  shape.transpose_a = product.transpose_a;
  shape.transpose_b = product.transpose_b;
  return shape;
}

/// Writes `count` ones of a type.
void fill_ones(DataType type, std::int64_t count, std::vector<std::byte>& ones) {
  if (type == DataType::kInt8) {
    ones.assign(static_cast<std::size_t>(count), std::byte{1});
    return;
  }
  constexpr std::uint16_t kOne = 0x3f80;
  ones.resize(static_cast<std::size_t>(count) * sizeof kOne);
  for (std::size_t i = 0; i < ones.size(); i += sizeof kOne)
    std::memcpy(&ones[i], &kOne, sizeof kOne);
}

}  // namespace

std::vector<MemoryRange> written_by(const Product& product) {
  std::vector<MemoryRange> ranges{
      {product.c, product.rows * product.cols * stored_bytes(product.format)}};
  if (product.column_sums != 0) {
    ranges.push_back({product.column_sums, product.cols * kSumSizeBytes});
  }
  return ranges;
}

bool ProductRunner::can_run(const Product& product) const {
  if (product.format == device::StoreFormat::kBf16Stochastic) return false;
  const auto lies = [&](std::uint64_t address, std::int64_t rows, std::int64_t cols,
                        std::int64_t element_bytes) {
    return address % static_cast<std::uint64_t>(element_bytes) == 0 &&
           memory_->locate(address, rows * cols * element_bytes) != nullptr;
  };
  const auto lies_if_there = [&](std::uint64_t address, std::int64_t rows, std::int64_t cols,
                                 std::int64_t element_bytes) {
    return address == 0 || lies(address, rows, cols, element_bytes);
  };
  const std::int64_t element = operand_size_bytes(product.type);
  return lies(product.a, product.rows, product.depth, element) &&
         lies(product.b, product.depth, product.cols, element) &&
         lies(product.c, product.rows, product.cols, stored_bytes(product.format)) &&
         lies_if_there(product.bias, 1, product.cols, kSumSizeBytes) &&
         lies_if_there(product.mask, product.rows, product.cols,
                       operand_size_bytes(product.mask_type)) &&
         lies_if_there(product.column_sums, 1, product.cols, kSumSizeBytes);
}

void ProductRunner::run(const Product& product) {
  const auto at = [&](std::uint64_t address, std::int64_t count, std::int64_t element_bytes) {
    return address == 0 ? nullptr : memory_->locate(address, count * element_bytes);
  };
  const std::int64_t element = operand_size_bytes(product.type);
  const std::int64_t area = product.rows * product.cols;
  const std::byte* a = at(product.a, product.rows * product.depth, element);
  const std::byte* b = at(product.b, product.depth * product.cols, element);
  SumsPath path{.relu = product.relu,
                .mask = at(product.mask, area, operand_size_bytes(product.mask_type)),
                .mask_type = product.mask_type,
                .format = product.format,
                .scale = product.scale,
                .shift = product.shift,
                .c = at(product.c, area, stored_bytes(product.format))};
  if (product.accumulate) {
    path.start = path.c;
    path.start_stride = product.cols;
  } else {
    path.start = at(product.bias, product.cols, kSumSizeBytes);
  }
  Matmul shape = shape_of(product);
  matmul_.multiply(shape, a, b, path);
  if (product.column_sums == 0) return;
  // The array computes column sums with one more row of A, of ones.
  fill_ones(product.type, product.depth, ones_);
  shape.rows = 1;
  shape.transpose_a = false;
  matmul_.multiply(shape, ones_.data(), b,
                   {.c = at(product.column_sums, product.cols, kSumSizeBytes)});
}

}  // namespace systole
