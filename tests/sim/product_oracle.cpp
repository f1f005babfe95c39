#include "tests/sim/product_oracle.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "hls/reference/convert.h"
#include "hls/reference/fp32.h"
#include "sim/model/model_matmul.h"

namespace systole::tests {
namespace {

std::size_t area(std::int64_t rows, std::int64_t cols) {
  return static_cast<std::size_t>(rows * cols);
}

/// Columns first .. first + count - 1 of a matrix.
std::vector<std::byte> columns_of(const std::vector<std::byte>& matrix, std::int64_t cols,
                                  std::int64_t first, std::int64_t count, std::int64_t bytes) {
  std::vector<std::byte> part;
  for (std::size_t at = area(first, bytes); at < matrix.size(); at += area(cols, bytes)) {
    const auto from = matrix.begin() + static_cast<std::ptrdiff_t>(at);
    part.insert(part.end(), from, from + count * bytes);
  }
  return part;
}

std::vector<std::byte> rows_of(const std::vector<std::byte>& matrix, std::int64_t cols,
                               std::int64_t first, std::int64_t count, std::int64_t bytes) {
  const auto from = matrix.begin() + first * cols * bytes;
  return {from, from + count * cols * bytes};
}

/// The product's sums by the model, which model_matmul_test compares with the reference.
std::vector<std::uint32_t> multiply(const Product& product, std::int64_t rows, int array_size,
                                    const std::vector<std::byte>& a,
                                    const std::vector<std::byte>& b,
                                    std::vector<std::uint32_t> sums, std::int64_t stretch) {
  const std::int64_t bytes = operand_size_bytes(product.type);
  if (stretch == 0) stretch = product.depth;
  for (std::int64_t first = 0; first < product.depth; first += stretch) {
    Product shape;
    shape.rows = rows;
    shape.depth = std::min(stretch, product.depth - first);
    shape.cols = product.cols;
    shape.type = product.type;
    shape.transpose_a = product.transpose_a && rows == product.rows;
    shape.transpose_b = product.transpose_b;
    shape.accumulate = !sums.empty();
    sums.resize(area(rows, product.cols));
    const auto part_of_a = shape.transpose_a
                               ? rows_of(a, rows, first, shape.depth, bytes)
                               : columns_of(a, product.depth, first, shape.depth, bytes);
    const auto part_of_b = shape.transpose_b
                               ? columns_of(b, product.depth, first, shape.depth, bytes)
                               : rows_of(b, product.cols, first, shape.depth, bytes);
    ModelMatmul(array_size, 1)(shape, part_of_a, part_of_b, sums);
  }
  return sums;
}

/// The matrix whose rows are the patches of the images at A.
std::vector<std::byte> patches_of(const Product& product, const FlatMemory& memory) {
  const device::LoadPatches shape = device::decode_load_patches(product.patches);
  const std::int64_t count = product.transpose_a ? product.depth : product.rows;
  const std::int64_t line = std::int64_t{shape.width} * shape.pixel_bytes;
  std::vector<std::byte> patches;
  for (std::int64_t patch = 0; patch < count; ++patch) {
    const std::int64_t row = patch / shape.out_width, image = row / shape.out_height;
    for (std::int64_t i = 0; i < shape.kernel_height; ++i) {
      const std::int64_t y = row % shape.out_height * shape.stride + i - shape.pad_top;
      for (std::int64_t j = 0; j < shape.kernel_width; ++j) {
        const std::int64_t x = patch % shape.out_width * shape.stride + j - shape.pad_left;
        std::vector<std::byte> pixel(shape.pixel_bytes);
        if (y >= 0 && y < shape.height && x >= 0 && x < shape.width) {
          const std::int64_t at = (image * shape.height + y) * line + x * shape.pixel_bytes;
          pixel = memory.get<std::byte>(product.a + static_cast<std::uint64_t>(at), pixel.size());
        }
        patches.insert(patches.end(), pixel.begin(), pixel.end());
      }
    }
  }
  return patches;
}

std::vector<std::byte> bytes_of(const FlatMemory& memory, std::uint64_t address, std::int64_t rows,
                                std::int64_t cols, DataType type) {
  return memory.get<std::byte>(address, area(rows, cols * operand_size_bytes(type)));
}

bool keeps(const std::vector<std::byte>& mask, DataType type, std::size_t i) {
  if (type == DataType::kInt8) return static_cast<std::int8_t>(mask[i]) > 0;
  std::uint16_t bits = 0;
  std::memcpy(&bits, &mask[2 * i], 2);
  return bits != 0 && bits <= 0x7f80;
}

template <typename T>
void put_each(FlatMemory& memory, std::uint64_t address, const std::vector<std::uint32_t>& sums,
              auto convert) {
  std::vector<T> out;
  out.reserve(sums.size());
  for (const std::uint32_t sum : sums) out.push_back(static_cast<T>(convert(sum)));
  memory.put(address, out);
}

}  // namespace

void compute_product(const Product& product, int array_size, FlatMemory& memory,
                     std::int64_t stretch) {
  const auto a = product.patches != device::CommandWord{}
                     ? patches_of(product, memory)
                     : bytes_of(memory, product.a, product.rows, product.depth, product.type);
  const auto b = bytes_of(memory, product.b, product.depth, product.cols, product.type);
  std::vector<std::uint32_t> start;
  const auto cols = static_cast<std::size_t>(product.cols);
  if (product.accumulate)
    start = memory.get<std::uint32_t>(product.c, area(product.rows, product.cols));
  if (product.bias != 0) {
    const auto bias = memory.get<std::uint32_t>(product.bias, cols);
    for (std::int64_t m = 0; m < product.rows; ++m) {
      start.insert(start.end(), bias.begin(), bias.end());
    }
  }
  std::vector<std::uint32_t> sums =
      multiply(product, product.rows, array_size, a, b, start, stretch);
  std::vector<std::byte> mask;
  if (product.mask != 0) {
    mask = bytes_of(memory, product.mask, product.rows, product.cols, product.mask_type);
  }
  if (product.column_sums != 0) {
    std::vector<std::byte> ones(area(product.depth, operand_size_bytes(product.type)));
    for (std::size_t k = 0; k < static_cast<std::size_t>(product.depth); ++k) {
      const std::uint16_t one = 0x3f80;
      if (product.type == DataType::kInt8) {
        ones[k] = std::byte{1};
      } else {
        std::memcpy(&ones[2 * k], &one, 2);
      }
    }
    memory.put(product.column_sums, multiply(product, 1, array_size, ones, b, {}, stretch));
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (product.relu && (sums[i] & 0x8000'0000U) != 0) sums[i] = 0;
    if (product.mask != 0 && !keeps(mask, product.mask_type, i)) sums[i] = 0;
  }
  using device::StoreFormat;
  const auto as_int = [](std::uint32_t sum) { return static_cast<std::int32_t>(sum); };
  switch (product.format) {
    case StoreFormat::kWord32:
      return memory.put(product.c, sums);
    case StoreFormat::kBf16:
      return put_each<std::uint16_t>(memory, product.c, sums, reference::fp32_to_bf16);
    case StoreFormat::kInt8FromFp32:
      return put_each<std::int8_t>(memory, product.c, sums, [&](std::uint32_t sum) {
        return reference::quantize(sum, product.scale);
      });
    case StoreFormat::kInt8FromInt32:
      return put_each<std::int8_t>(memory, product.c, sums, [&](std::uint32_t sum) {
        return reference::requantize(as_int(sum), product.scale, product.shift);
      });
    case StoreFormat::kFp32FromInt32:
      return put_each<std::uint32_t>(memory, product.c, sums, [&](std::uint32_t sum) {
        return reference::int32_to_fp32(as_int(sum));
      });
    case StoreFormat::kBf16Stochastic:
      break;
  }
  throw std::invalid_argument("the oracle has no stochastic format");
}

}  // namespace systole::tests
