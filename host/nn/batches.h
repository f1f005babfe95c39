#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "host/data/dataset.h"
#include "host/nn/generator.h"
#include "host/nn/tensor.h"

namespace systole::nn {

/// A data set cut into batches, in file order or shuffled; the last one may be smaller.
///
/// Limits   batch_size >= 1; the data set must outlive it
/// Timing   a batch is copied into memory that is reused for the next
class Batches {
 public:
  Batches(const Dataset& data, std::int64_t batch_size) : data_(data), batch_size_(batch_size) {
    order_.resize(data.labels.size());
    std::iota(order_.begin(), order_.end(), std::int64_t{0});
  }

  std::int64_t count() const { return (data_.size() + batch_size_ - 1) / batch_size_; }

  /// Epoch e's order depends on the seed and e alone, so that a run can be taken up again.
  void shuffle(std::uint64_t seed, std::int64_t epoch) {
    std::iota(order_.begin(), order_.end(), std::int64_t{0});
    Generator generator(seed, static_cast<std::uint64_t>(epoch));
    generator.shuffle(std::span(order_));
  }

  /// Gathers batch `index`, 0..count()-1, into inputs() and labels().
  void take(std::int64_t index) {
    const std::int64_t first = index * batch_size_;
    const std::int64_t rows = std::min(batch_size_, data_.size() - first);
    const std::int64_t row_size = static_cast<std::int64_t>(data_.inputs.size()) / data_.size();
    inputs_.resize(rows, row_size);
    labels_.resize(static_cast<std::size_t>(rows));
    for (std::int64_t r = 0; r < rows; ++r) {
      const std::int64_t sample = order_[static_cast<std::size_t>(first + r)];
      std::copy_n(data_.inputs.begin() + sample * row_size, row_size, inputs_.row(r).begin());
      labels_[static_cast<std::size_t>(r)] = data_.labels[static_cast<std::size_t>(sample)];
    }
  }

  const Tensor& inputs() const { return inputs_; }
  std::span<const std::int32_t> labels() const { return labels_; }

 private:
  const Dataset& data_;
  std::int64_t batch_size_;
  std::vector<std::int64_t> order_;
  Tensor inputs_;
  std::vector<std::int32_t> labels_;
};

}  // namespace systole::nn
