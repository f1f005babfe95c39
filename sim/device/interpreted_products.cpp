#include "sim/device/interpreted_products.h"

#include <algorithm>
#include <cstdint>

#include "sim/model/flush_to_zero.h"

namespace systole {
namespace {

/// A step's word: one bf16 as fp32, or two int8 as int16.
std::uint32_t bf16_word(std::uint16_t element) { return std::uint32_t{element} << 16; }
std::uint32_t int8_word(std::uint16_t low, std::uint16_t high) {
  const auto extend = [](std::uint16_t lane) {
    return static_cast<std::uint16_t>(static_cast<std::int8_t>(lane));
  };
  return extend(low) | std::uint32_t{extend(high)} << 16;
}

/// panel[step][line] for every step and line; `element(line, depth)` is an operand.
template <typename Element>
void fill_panel(std::vector<std::uint32_t>& panel, std::uint32_t width, std::uint32_t lines,
                std::uint32_t depth, bool is_int8, Element element) {
  const std::uint32_t steps = is_int8 ? depth / 2 : depth;
  panel.assign(std::size_t{steps} * width, 0);
  for (std::uint32_t line = 0; line < lines; ++line) {
    for (std::uint32_t step = 0; step < steps; ++step) {
      panel[std::size_t{step} * width + line] =
          is_int8 ? int8_word(element(line, 2 * step), element(line, 2 * step + 1))
                  : bf16_word(element(line, step));
    }
  }
}

}  // namespace

std::uint16_t InterpretedProducts::activation(const device::MatmulShape& shape,
                                              const device::Matmul& command, Operands rows,
                                              std::uint32_t row, std::uint32_t depth) const {
  const auto lanes = static_cast<std::uint32_t>(size_);
  if (row == shape.rows) return command.is_int8 ? 0x0001 : 0x3f80;  // the row of ones
  const std::uint32_t tile = depth / lanes;
  const std::uint32_t k = depth % lanes;
  std::uint32_t word = 0;
  std::uint32_t lane = 0;
  if (command.transpose_a) {
    if (tile + 1 == shape.tiles && k >= shape.last_depth) return 0;
    word = command.a_row + row / lanes * shape.a_tile_stride + depth;
    lane = row % lanes;
  } else {
    word = command.a_row + tile * shape.a_tile_stride + row;
    lane = k;
  }
  return rows[word % (rows.size() / lanes) * lanes + lane];
}

std::uint16_t InterpretedProducts::weight(const device::MatmulShape& shape,
                                          const device::Matmul& command, Operands weights,
                                          std::uint32_t depth, std::uint32_t col) const {
  const auto lanes = static_cast<std::uint32_t>(size_);
  const std::uint32_t tile = depth / lanes;
  const std::uint32_t k = depth % lanes;
  std::uint32_t word = 0;
  std::uint32_t lane = 0;
  if (command.transpose_b) {
    word = command.b_row + tile * shape.b_tile_stride + col;
    lane = k;
  } else {
    if (tile + 1 == shape.tiles && k >= shape.last_depth) return 0;
    word = command.b_row + depth;
    lane = col;
  }
  return weights[word % (weights.size() / lanes) * lanes + lane];
}

void InterpretedProducts::multiply(const device::MatmulShape& shape, const device::Matmul& command,
                                   Operands rows, Operands weights, std::span<std::uint32_t> sums) {
  const FlushToZero flush;
  const BlockKernels& kernels = *block_kernels().begin();
  const auto lanes = static_cast<std::uint32_t>(size_);
  const auto width = static_cast<std::uint32_t>(kernels.cols);
  const std::uint32_t depth = shape.tiles * lanes;
  const std::uint32_t lines = shape.rows + (command.ones_row ? 1U : 0U);
  const std::size_t sum_rows = sums.size() / lanes;
  c_.resize(std::size_t{kBlockRows} * width);

  for (std::uint32_t col = 0; col < lanes; col += width) {
    const std::uint32_t cols = std::min(width, lanes - col);
    fill_panel(b_, width, cols, depth, command.is_int8, [&](std::uint32_t n, std::uint32_t k) {
      return weight(shape, command, weights, k, col + n);
    });
    for (std::uint32_t row = 0; row < lines; row += kBlockRows) {
      const std::uint32_t count = std::min<std::uint32_t>(kBlockRows, lines - row);
      fill_panel(a_, kBlockRows, count, depth, command.is_int8,
                 [&](std::uint32_t m, std::uint32_t k) {
                   return activation(shape, command, rows, row + m, k);
                 });
      const auto sum_at = [&](std::uint32_t m) {
        return &sums[(command.sum_row + row + m) % sum_rows * lanes + col];
      };
      if (command.accumulate) {
        for (std::uint32_t m = 0; m < count; ++m) std::copy_n(sum_at(m), cols, &c_[m * width]);
      }
      const Block block{.a = a_.data(),
                        .b = b_.data(),
                        .steps = command.is_int8 ? depth / 2 : depth,
                        .tile_steps = lanes,
                        .c = c_.data(),
                        .c_stride = width,
                        .overwrite = !command.accumulate};
      command.is_int8 ? kernels.int8(block) : kernels.bf16(block);
      for (std::uint32_t m = 0; m < count; ++m) std::copy_n(&c_[m * width], cols, sum_at(m));
    }
  }
}

}  // namespace systole
