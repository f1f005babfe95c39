#include "sim/device/interpreted_products.h"

#include <algorithm>

#include "sim/model/flush_to_zero.h"

namespace systole {
namespace {

/// How lanes make the words that the kernels multiply.
class Packing {
 public:
  explicit Packing(bool is_int8)
      : is_int8_(is_int8),
        elements_(is_int8 ? static_cast<std::uint32_t>(fastest_by_vectors().int8_words)
                          : static_cast<std::uint32_t>(fastest_by_vectors().bf16_words)) {}

  /// Elements of depth in a word.
  std::uint32_t elements() const { return elements_; }

  /// Puts a lane into the word, and the part of it, where a kernel expects a line's element at
  /// `depth`.
  ///
  /// Shapes   line: its words, zeroed, each `distance` behind the one before
  void put(std::uint32_t* line, std::size_t distance, std::uint32_t depth,
           std::uint16_t lane) const {
    std::uint32_t& word = line[depth / elements_ * distance];
    const std::uint32_t place = depth % elements_;
    if (!is_int8_) {
      // A single operand is an fp32; the first of a pair is the upper half.
      word |= std::uint32_t{lane} << (place == 0 ? 16 : 0);
      return;
    }
    const std::uint32_t bits = 32 / elements_;
    const auto extended = static_cast<std::uint32_t>(static_cast<std::int8_t>(lane));
    word |= (extended & (0xffff'ffffU >> (32 - bits))) << (place * bits);
  }

  /// The same for lanes from `depth` on of a line whose words lie side by side.
  void put_all(std::uint32_t* line, std::uint32_t depth, const std::uint16_t* lanes,
               std::uint32_t count) const {
    if (!is_int8_ && elements_ == 1) {
      for (std::uint32_t k = 0; k < count; ++k) line[depth + k] = std::uint32_t{lanes[k]} << 16;
      return;
    }
    for (std::uint32_t k = 0; k < count; ++k) put(line, 1, depth + k, lanes[k]);
  }

 private:
  bool is_int8_;
  std::uint32_t elements_;
};

bool same_rows(const device::Matmul& a, const device::Matmul& b) {
  return a.a_row == b.a_row && a.is_int8 == b.is_int8 && a.transpose_a == b.transpose_a &&
         a.ones_row == b.ones_row;
}

bool same_rows(const device::MatmulShape& a, const device::MatmulShape& b) {
  return a.rows == b.rows && a.a_tile_stride == b.a_tile_stride && a.tiles == b.tiles &&
         a.last_depth == b.last_depth;
}

}  // namespace

InterpretedProducts::InterpretedProducts(int array_size)
    : lanes_(static_cast<std::uint32_t>(array_size)),
      shape_(array_size <= fastest_by_vectors().narrow.cols ? fastest_by_vectors().narrow
                                                            : fastest_by_vectors().wide),
      block_rows_(static_cast<std::uint32_t>(shape_.rows)) {}

void InterpretedProducts::lay_out_rows(const device::MatmulShape& shape,
                                       const device::Matmul& command, Operands rows) {
  if (has_rows_ && same_rows(shape, rows_shape_) && same_rows(command, rows_command_)) return;
  has_rows_ = true;
  rows_shape_ = shape;
  rows_command_ = command;
  const Packing packing(command.is_int8);
  const std::uint32_t depth = shape.tiles * lanes_;
  const std::uint32_t steps = depth / packing.elements();
  const std::uint32_t lines = shape.rows + (command.ones_row ? 1U : 0U);
  const std::uint32_t panels = (lines + block_rows_ - 1) / block_rows_;
  a_.assign(std::size_t{panels} * block_rows_ * steps, 0);
  const auto words_of = [&](std::uint32_t line) { return &a_[std::size_t{line} * steps]; };
  if (command.transpose_a) {
    // Beyond the depth, operands are zero whatever the buffer holds.
    const std::uint32_t exists = depth - lanes_ + shape.last_depth;
    for (std::uint32_t first = 0; first < shape.rows; first += lanes_) {
      const std::uint32_t count = std::min<std::uint32_t>(lanes_, shape.rows - first);
      const std::uint32_t block = command.a_row + first / lanes_ * shape.a_tile_stride;
      for (std::uint32_t k = 0; k < exists; ++k) {
        const std::uint16_t* lane = word(rows, block + k);
        for (std::uint32_t i = 0; i < count; ++i) packing.put(words_of(first + i), 1, k, lane[i]);
      }
    }
  } else {
    for (std::uint32_t tile = 0; tile < shape.tiles; ++tile) {
      for (std::uint32_t line = 0; line < shape.rows; ++line) {
        const std::uint16_t* lane = word(rows, command.a_row + tile * shape.a_tile_stride + line);
        packing.put_all(words_of(line), tile * lanes_, lane, lanes_);
      }
    }
  }
  if (command.ones_row) {
    const std::uint16_t one = command.is_int8 ? 1 : 0x3f80;
    for (std::uint32_t k = 0; k < depth; ++k) packing.put(words_of(shape.rows), 1, k, one);
  }
  if (command.is_int8 && fastest_by_vectors().int8_words == Int8Words::kQuads) {
    for (std::uint32_t& word : a_) word ^= 0x8080'8080U;
  }
}

void InterpretedProducts::lay_out_weights(const device::MatmulShape& shape,
                                          const device::Matmul& command, Operands weights,
                                          std::uint32_t first_col, std::uint32_t width) {
  const std::uint32_t depth = shape.tiles * lanes_;
  const Packing packing(command.is_int8);
  const std::uint32_t steps = depth / packing.elements();
  const std::uint32_t cols = std::min(width, lanes_ - first_col);
  b_.assign(std::size_t{steps} * width, 0);
  if (command.transpose_b) {
    for (std::uint32_t tile = 0; tile < shape.tiles; ++tile) {
      for (std::uint32_t n = 0; n < cols; ++n) {
        const std::uint16_t* lane =
            word(weights, command.b_row + tile * shape.b_tile_stride + first_col + n);
        for (std::uint32_t k = 0; k < lanes_; ++k) {
          packing.put(&b_[n], width, tile * lanes_ + k, lane[k]);
        }
      }
    }
  } else {
    const std::uint32_t exists = depth - lanes_ + shape.last_depth;
    for (std::uint32_t k = 0; k < exists; ++k) {
      const std::uint16_t* lane = word(weights, command.b_row + k) + first_col;
      for (std::uint32_t n = 0; n < cols; ++n) {
        packing.put(&b_[n], width, k, lane[n]);
      }
    }
  }
}

void InterpretedProducts::multiply(const device::MatmulShape& shape, const device::Matmul& command,
                                   Operands rows, Operands weights, std::span<std::uint32_t> sums) {
  const FlushToZero flush;
  const auto width = static_cast<std::uint32_t>(shape_.cols);
  const std::uint32_t depth = shape.tiles * lanes_;
  const std::uint32_t steps = depth / Packing(command.is_int8).elements();
  const std::uint32_t lines = shape.rows + (command.ones_row ? 1U : 0U);
  const std::size_t sum_rows = sums.size() / lanes_;
  c_.resize(std::size_t{block_rows_} * width);
  lay_out_rows(shape, command, rows);

  for (std::uint32_t col = 0; col < lanes_; col += width) {
    const std::uint32_t cols = std::min(width, lanes_ - col);
    lay_out_weights(shape, command, weights, col, width);
    offsets_.resize(width);
    if (command.is_int8 && shape_.int8_offsets != nullptr) {
      shape_.int8_offsets(b_.data(), steps, offsets_.data());
    }
    for (std::uint32_t row = 0; row < lines; row += block_rows_) {
      const std::uint32_t count = std::min<std::uint32_t>(block_rows_, lines - row);
      const auto sum_at = [&](std::uint32_t m) {
        return &sums[(command.sum_row + row + m) % sum_rows * lanes_ + col];
      };
      if (command.accumulate) {
        for (std::uint32_t m = 0; m < count; ++m) std::copy_n(sum_at(m), cols, &c_[m * width]);
      }
      const Block block{.a = &a_[std::size_t{row} * steps],
                        .a_row = steps,
                        .a_step = 1,
                        .b = b_.data(),
                        .steps = steps,
                        .tile_steps = lanes_ / Packing(false).elements(),
                        .c = c_.data(),
                        .c_stride = width,
                        .overwrite = !command.accumulate,
                        .b_offsets = offsets_.data()};
      command.is_int8 ? shape_.int8(block) : shape_.bf16(block);
      for (std::uint32_t m = 0; m < count; ++m) std::copy_n(&c_[m * width], cols, sum_at(m));
    }
  }
}

}  // namespace systole
