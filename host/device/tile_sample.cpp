#include "host/device/tile_sample.h"

#include <algorithm>

#include "host/device/element_size.h"
#include "systole/support/ceil_div.h"

namespace systole {
namespace {

/// rows x cols elements from (first_row, first_col) on of a dense matrix `stride` elements wide.
std::vector<std::byte> read_block(const Memory& memory, std::uint64_t matrix, std::int64_t stride,
                                  std::int64_t element_bytes, const CTile& block) {
  const auto row_bytes = static_cast<std::size_t>(block.cols * element_bytes);
  std::vector<std::byte> bytes(static_cast<std::size_t>(block.rows) * row_bytes);
  const auto address = [&](std::int64_t row) {
    const std::int64_t element = (block.first_row + row) * stride + block.first_col;
    return matrix + static_cast<std::uint64_t>(element * element_bytes);
  };
  if (block.cols == stride) {
    memory.read(address(0), bytes);
    return bytes;
  }
  for (std::int64_t row = 0; row < block.rows; ++row) {
    memory.read(address(row),
                std::span(bytes).subspan(static_cast<std::size_t>(row) * row_bytes, row_bytes));
  }
  return bytes;
}

/// The same from a matrix that may be transposed; the block keeps the matrix's layout.
std::vector<std::byte> read_operand(const Memory& memory, std::uint64_t matrix, bool transposed,
                                    std::int64_t rows, std::int64_t cols,
                                    std::int64_t element_bytes, const CTile& block) {
  if (!transposed) return read_block(memory, matrix, cols, element_bytes, block);
  return read_block(memory, matrix, rows, element_bytes,
                    {block.first_col, block.first_row, block.cols, block.rows});
}

/// `cols` elements of a row of sums.
std::vector<std::byte> read_sums(const Memory& memory, std::uint64_t row, const CTile& tile) {
  if (row == 0) return {};
  return read_block(memory, row, tile.first_col + tile.cols, kSumSizeBytes,
                    {0, tile.first_col, 1, tile.cols});
}

void add_range(std::vector<AddressRange>& ranges, std::uint64_t address, std::int64_t size_bytes) {
  if (address == 0) return;
  ranges.push_back({address, address + static_cast<std::uint64_t>(size_bytes)});
}

}  // namespace

std::int64_t tile_count(const Product& product, int array_size) {
  return ceil_div(product.rows, array_size) * ceil_div(product.cols, array_size);
}

CTile tile_at(const Product& product, int array_size, std::int64_t index) {
  const std::int64_t across = ceil_div(product.cols, array_size);
  const std::int64_t row = index / across * array_size;
  const std::int64_t col = index % across * array_size;
  return {row, col, std::min<std::int64_t>(array_size, product.rows - row),
          std::min<std::int64_t>(array_size, product.cols - col)};
}

std::vector<std::byte> read_c(const Memory& memory, const Product& product, const CTile& tile) {
  return read_block(memory, product.c, product.cols, stored_bytes(product.format), tile);
}

TileSample take_sample(const Memory& memory, const Product& product, const CTile& tile) {
  const std::int64_t element = operand_size_bytes(product.type);
  TileSample sample;
  sample.product = product;
  sample.product.rows = tile.rows;
  sample.product.cols = tile.cols;
  sample.a = read_operand(memory, product.a, product.transpose_a, product.rows, product.depth,
                          element, {tile.first_row, 0, tile.rows, product.depth});
  sample.b = read_operand(memory, product.b, product.transpose_b, product.depth, product.cols,
                          element, {0, tile.first_col, product.depth, tile.cols});
  sample.bias = read_sums(memory, product.bias, tile);
  if (product.mask != 0) {
    sample.mask =
        read_block(memory, product.mask, product.cols, operand_size_bytes(product.mask_type), tile);
  }
  return sample;
}

TileResult read_result(const Memory& memory, const Product& product, const CTile& tile) {
  return {.c = read_c(memory, product, tile),
          .column_sums = read_sums(memory, product.column_sums, tile)};
}

TileResult run_sample(const std::shared_ptr<Backend>& backend, const TileSample& sample) {
  std::vector<Buffer> buffers;  // keeps them until the product has run
  const auto allocate = [&](std::size_t size_bytes) {
    const auto size = static_cast<std::int64_t>(size_bytes);
    return buffers.emplace_back(backend, backend->memory().allocate(size), size).address();
  };
  const auto write = [&](const std::vector<std::byte>& bytes) {
    const std::uint64_t address = allocate(bytes.size());
    backend->memory().write(address, bytes);
    return address;
  };
  Product product = sample.product;
  TileResult result;
  result.c.resize(
      static_cast<std::size_t>(product.rows * product.cols * stored_bytes(product.format)));
  product.a = write(sample.a);
  product.b = write(sample.b);
  product.c = product.accumulate ? write(sample.c_before) : allocate(result.c.size());
  if (product.bias != 0) product.bias = write(sample.bias);
  if (product.mask != 0) product.mask = write(sample.mask);
  if (product.column_sums != 0) {
    result.column_sums.resize(product.cols * kSumSizeBytes);
    product.column_sums = allocate(result.column_sums.size());
  }
  backend->execute({&product, 1});
  backend->memory().read(product.c, result.c);
  if (product.column_sums != 0) backend->memory().read(product.column_sums, result.column_sums);
  return result;
}

std::vector<AddressRange> ranges_read(const Product& product) {
  const std::int64_t element = operand_size_bytes(product.type);
  std::vector<AddressRange> ranges;
  add_range(ranges, product.a, product.rows * product.depth * element);
  add_range(ranges, product.b, product.depth * product.cols * element);
  add_range(ranges, product.bias, product.cols * kSumSizeBytes);
  add_range(ranges, product.mask,
            product.rows * product.cols * operand_size_bytes(product.mask_type));
  return ranges;
}

std::vector<AddressRange> ranges_written(const Product& product) {
  std::vector<AddressRange> ranges;
  add_range(ranges, product.c, product.rows * product.cols * stored_bytes(product.format));
  add_range(ranges, product.column_sums, product.cols * kSumSizeBytes);
  return ranges;
}

}  // namespace systole
