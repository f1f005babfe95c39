#pragma once

#include <cstdint>
#include <span>

#include "host/nn/numbers/tensor.h"

namespace systole::nn {

/// How well a batch of sentences was predicted, word by word.
struct WordScore {
  double loss = 0;      ///< mean over the words that count
  double accuracy = 0;  ///< 0..1: the share of words that got the largest output
  std::int64_t words = 0;
};

/// loss = mean of -log(softmax(z)[label]) over the rows whose label is not `padding`; the others
/// change neither loss nor gradient.
///
/// Shapes   z [rows, classes], one label per row
/// Limits   0 <= label < classes; at least one label counts
/// Numbers  as SoftmaxCrossEntropy's, with exponential() for e^x; d_z of a padded row is zero
/// Errors   std::invalid_argument for a label out of range, a count that is not rows, and labels
///          that are padding throughout
struct MaskedCrossEntropy {
  std::int32_t padding = 0;

  /// Writes the gradient unless d_logits is null.
  WordScore evaluate(const Tensor& logits, std::span<const std::int32_t> labels,
                     Tensor* d_logits) const;
};

}  // namespace systole::nn
