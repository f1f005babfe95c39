#pragma once

#include <cstdint>
#include <span>

#include "host/nn/numbers/tensor.h"

namespace systole::nn {

/// How well a batch of predictions did.
struct Score {
  double loss = 0;  ///< mean over the samples
  double accuracy =
      0;  ///< 0..1: the share whose largest output is the label's; the first of equals counts
};

/// The share of rows, 0..1, whose label is among the k largest outputs, the first of equals
/// counting. Top 1 is Score's accuracy.
///
/// Limits   rows >= 1, k >= 1, 0 <= label < the outputs of a row
/// Errors   std::invalid_argument beyond them, and for another number of labels than rows
double top_k_accuracy(const Tensor& outputs, std::span<const std::int32_t> labels, std::int64_t k);

/// Throws std::invalid_argument unless there is at least one row and each has a label in
/// 0..classes - 1.
void need_labels(std::span<const std::int32_t> labels, std::int64_t rows, std::int64_t classes);

}  // namespace systole::nn
