#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace systole::nn {

/// A batch of fp32 samples, row-major [rows, row_size]; layers know a sample's own dimensions.
/// resize keeps the memory, so a training step allocates nothing after the first.
struct Tensor {
  std::int64_t rows = 0;
  std::int64_t row_size = 0;
  std::vector<float> values = {};

  /// Makes room for new values.
  void resize(std::int64_t new_rows, std::int64_t new_row_size) {
    rows = new_rows;
    row_size = new_row_size;
    values.resize(rows * row_size);
  }

  std::span<float> row(std::int64_t index) {
    return std::span(values).subspan(index * row_size, static_cast<std::size_t>(row_size));
  }
  std::span<const float> row(std::int64_t index) const {
    return std::span(values).subspan(index * row_size, static_cast<std::size_t>(row_size));
  }
};

}  // namespace systole::nn
