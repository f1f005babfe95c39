#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "host/nn/numbers/tensor.h"
#include "host/nn/training/score.h"

namespace systole::nn {

/// loss = mean over rows of -log(softmax(z)[label]), with labels as class numbers ("sparse").
///
/// Shapes   z [rows, classes], one label per row
/// Limits   0 <= label < classes; rows >= 1
/// Numbers  fp32 per row, shifted by the row's maximum so that exp never overflows; the mean in
///          fp64, rows ascending. d_z = (softmax(z) - one_hot(label)) / rows.
/// Errors   std::invalid_argument for a label out of range or a count that is not rows
struct SoftmaxCrossEntropy {
  std::string describe() const { return "softmax cross-entropy"; }  ///< every option, in words

  /// Writes the gradient unless d_logits is null.
  Score evaluate(const Tensor& logits, std::span<const std::int32_t> labels,
                 Tensor* d_logits) const;
};

}  // namespace systole::nn
