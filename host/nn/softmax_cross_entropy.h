#pragma once

#include <cstdint>
#include <span>

#include "host/nn/tensor.h"

namespace systole::nn {

/// How well a batch of predictions did.
struct Score {
  double loss = 0;  ///< mean over the samples
  double accuracy =
      0;  ///< 0..1: the share whose largest output is the label's, the first one of equals
};

/// loss = mean over rows of -log(softmax(z)[label]), with labels as class numbers ("sparse").
///
/// Shapes   z [rows, classes], one label per row
/// Limits   0 <= label < classes; rows >= 1
/// Numbers  fp32 per row, shifted by the row's maximum so that exp never overflows; the mean in
/// fp64,
///          rows ascending. d_z = (softmax(z) - one_hot(label)) / rows.
/// Errors   std::invalid_argument for a label out of range or a count that is not rows
struct SoftmaxCrossEntropy {
  /// Writes the gradient unless d_logits is null.
  Score evaluate(const Tensor& logits, std::span<const std::int32_t> labels,
                 Tensor* d_logits) const;
};

}  // namespace systole::nn
