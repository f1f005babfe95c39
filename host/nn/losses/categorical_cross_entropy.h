#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "host/nn/numbers/tensor.h"
#include "host/nn/training/score.h"

namespace systole::nn {

/// loss = mean over rows of -sum over c of t[c] log p[c], with p the outputs themselves, such as a
/// softmax layer gives, or with from_logits their softmax; t the targets.
///
/// Shapes   outputs and targets [rows, classes], or one class number per row ("sparse"), which is a
///          target of 1 for that class
/// Limits   0 <= label < classes; rows >= 1; 0 <= label_smoothing < 1
/// Numbers  fp32 per row, the mean in fp64, rows ascending. Targets t become
///          (1 - label_smoothing) t + label_smoothing / classes. Probabilities are divided by their
///          sum and kept in 1e-7..1 - 1e-7, as in Keras; where they are cut, the gradient is 0.
/// Errors   std::invalid_argument for a label out of range, and for sizes that do not match
struct CategoricalCrossEntropy {
  bool from_logits = false;
  float label_smoothing = 0.0f;

  void check() const;
  std::string describe() const;  ///< every option, in words

  /// Writes the gradient unless d_outputs is null.
  Score evaluate(const Tensor& outputs, const Tensor& targets, Tensor* d_outputs) const;
  Score evaluate(const Tensor& outputs, std::span<const std::int32_t> labels,
                 Tensor* d_outputs) const;
};

}  // namespace systole::nn
