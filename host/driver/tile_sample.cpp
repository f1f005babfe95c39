#include "host/driver/tile_sample.h"

#include <algorithm>

namespace systole {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// rows x cols elements from (first_row, first_col) on of a dense matrix `stride` elements wide.
std::vector<std::byte> read_block(Backend& backend, const Buffer& matrix, std::int64_t stride,
                                  std::int64_t element_bytes, const CTile& block) {
  const auto row_bytes = static_cast<std::size_t>(block.cols * element_bytes);
  std::vector<std::byte> bytes(static_cast<std::size_t>(block.rows) * row_bytes);
  const auto address = [&](std::int64_t row) {
    const std::int64_t element = (block.first_row + row) * stride + block.first_col;
    return matrix.address() + static_cast<std::uint64_t>(element * element_bytes);
  };
  if (block.cols == stride) {
    backend.read(address(0), bytes);
    return bytes;
  }
  for (std::int64_t row = 0; row < block.rows; ++row) {
    backend.read(address(row),
                 std::span(bytes).subspan(static_cast<std::size_t>(row) * row_bytes, row_bytes));
  }
  return bytes;
}

/// The same of a matrix that may lie transposed; the block keeps the matrix's layout.
std::vector<std::byte> read_operand(Backend& backend, const Buffer& matrix, bool transposed,
                                    std::int64_t rows, std::int64_t cols,
                                    std::int64_t element_bytes, const CTile& block) {
  if (!transposed) return read_block(backend, matrix, cols, element_bytes, block);
  return read_block(backend, matrix, rows, element_bytes,
                    {block.first_col, block.first_row, block.cols, block.rows});
}

/// cols elements of a row of sums.
std::vector<std::byte> read_sums(Backend& backend, const Buffer& row, const CTile& tile) {
  if (!row) return {};
  return read_block(backend, row, tile.first_col + tile.cols, kSumSizeBytes,
                    {0, tile.first_col, 1, tile.cols});
}

Buffer place(const std::shared_ptr<Backend>& backend, std::size_t size_bytes) {
  const auto bytes = static_cast<std::int64_t>(size_bytes);
  return {backend, backend->allocate(bytes), bytes};
}

Buffer place(const std::shared_ptr<Backend>& backend, const std::vector<std::byte>& bytes) {
  Buffer buffer = place(backend, bytes.size());
  backend->write(buffer.address(), bytes);
  return buffer;
}

std::vector<std::byte> read_all(Backend& backend, const Buffer& buffer) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(buffer.size_bytes()));
  if (buffer) backend.read(buffer.address(), bytes);
  return bytes;
}

void add_range(std::vector<AddressRange>& ranges, const Buffer& buffer, std::int64_t size_bytes) {
  if (!buffer) return;
  ranges.push_back({buffer.address(), buffer.address() + static_cast<std::uint64_t>(size_bytes)});
}

}  // namespace

std::int64_t tile_count(const Matmul& product, int array_size) {
  return ceil_div(product.rows, array_size) * ceil_div(product.cols, array_size);
}

CTile tile_at(const Matmul& product, int array_size, std::int64_t index) {
  const std::int64_t across = ceil_div(product.cols, array_size);
  const std::int64_t row = index / across * array_size;
  const std::int64_t col = index % across * array_size;
  return {row, col, std::min<std::int64_t>(array_size, product.rows - row),
          std::min<std::int64_t>(array_size, product.cols - col)};
}

std::vector<std::byte> read_c(Backend& backend, const Product& product, const CTile& tile) {
  return read_block(backend, product.matmul.c, product.matmul.cols,
                    result_size_bytes(product.epilogue.result), tile);
}

TileSample take_sample(Backend& backend, const Product& product, const CTile& tile) {
  const Matmul& matmul = product.matmul;
  const std::int64_t element = operand_size_bytes(matmul.type);
  TileSample sample;
  sample.product = product;
  sample.product.matmul.rows = tile.rows;
  sample.product.matmul.cols = tile.cols;
  sample.a = read_operand(backend, matmul.a, matmul.transpose_a, matmul.rows, matmul.depth, element,
                          {tile.first_row, 0, tile.rows, matmul.depth});
  sample.b = read_operand(backend, matmul.b, matmul.transpose_b, matmul.depth, matmul.cols, element,
                          {0, tile.first_col, matmul.depth, tile.cols});
  sample.bias = read_sums(backend, product.epilogue.bias, tile);
  if (product.epilogue.mask) {
    sample.mask = read_block(backend, product.epilogue.mask, matmul.cols,
                             operand_size_bytes(product.epilogue.mask_type), tile);
  }
  return sample;
}

TileResult read_result(Backend& backend, const Product& product, const CTile& tile) {
  return {.c = read_c(backend, product, tile),
          .column_sums = read_sums(backend, product.epilogue.column_sums, tile)};
}

TileResult run_sample(const std::shared_ptr<Backend>& backend, const TileSample& sample) {
  Product product = sample.product;
  Matmul& matmul = product.matmul;
  Epilogue& epilogue = product.epilogue;
  matmul.a = place(backend, sample.a);
  matmul.b = place(backend, sample.b);
  if (matmul.accumulate) {
    matmul.c = place(backend, sample.c_before);
  } else {
    matmul.c = place(backend, static_cast<std::size_t>(matmul.rows * matmul.cols *
                                                       result_size_bytes(epilogue.result)));
  }
  if (epilogue.bias) epilogue.bias = place(backend, sample.bias);
  if (epilogue.mask) epilogue.mask = place(backend, sample.mask);
  if (epilogue.column_sums) {
    epilogue.column_sums = place(backend, static_cast<std::size_t>(matmul.cols * kSumSizeBytes));
  }
  backend->execute({&product, 1});
  return {.c = read_all(*backend, matmul.c),
          .column_sums = read_all(*backend, epilogue.column_sums)};
}

std::vector<AddressRange> ranges_read(const Product& product) {
  const Matmul& matmul = product.matmul;
  const MatmulSizes sizes = matmul_sizes(matmul);
  std::vector<AddressRange> ranges;
  add_range(ranges, matmul.a, sizes.a_bytes);
  add_range(ranges, matmul.b, sizes.b_bytes);
  add_range(ranges, product.epilogue.bias, matmul.cols * kSumSizeBytes);
  add_range(ranges, product.epilogue.mask,
            matmul.rows * matmul.cols * operand_size_bytes(product.epilogue.mask_type));
  return ranges;
}

std::vector<AddressRange> ranges_written(const Product& product) {
  const Matmul& matmul = product.matmul;
  std::vector<AddressRange> ranges;
  add_range(ranges, matmul.c,
            matmul.rows * matmul.cols * result_size_bytes(product.epilogue.result));
  add_range(ranges, product.epilogue.column_sums, matmul.cols * kSumSizeBytes);
  return ranges;
}

}  // namespace systole
