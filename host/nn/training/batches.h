#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/data/dataset.h"
#include "host/nn/numbers/tensor.h"
#include "host/nn/training/augmentation.h"

namespace systole::nn {

/// A data set cut into batches, in file order or shuffled; the last batch may be smaller.
///
/// Limits   batch_size >= 1; the data set must outlive it
/// Timing   a batch is copied into memory that is reused for the next
/// Errors   std::invalid_argument for augmentation that does not fit the samples, and a batch out
///          of range
class Batches {
 public:
  Batches(const Dataset& data, std::int64_t batch_size, const Augmentation& augmentation = {});

  std::int64_t count() const { return (data_.size() + batch_size_ - 1) / batch_size_; }

  /// Epoch e's order depends on the seed and e alone, so a run can be resumed.
  void shuffle(std::uint64_t seed, std::int64_t epoch);

  /// Gathers batch `index`, 0..count()-1, into inputs() and labels(), or into the caller's.
  void take(std::int64_t index) { take(index, inputs_, labels_); }
  void take(std::int64_t index, Tensor& inputs, std::vector<std::int32_t>& labels) const;

  const Tensor& inputs() const { return inputs_; }
  std::span<const std::int32_t> labels() const { return labels_; }

 private:
  const Dataset& data_;
  std::int64_t batch_size_;
  Augmentation augmentation_;
  std::vector<std::int64_t> order_;
  std::uint64_t seed_ = 0;
  std::int64_t epoch_ = 0;
  Tensor inputs_;
  std::vector<std::int32_t> labels_;
};

}  // namespace systole::nn
