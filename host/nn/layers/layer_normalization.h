#pragma once

#include "host/nn/layers/layer.h"

namespace systole::nn {

/// y = gamma * (x - mean) / sqrt(variance + epsilon) + beta, over the last dimension of each place
/// of a sample, in training and inference alike.
///
/// Shapes   x [rows, ..., units], y likewise; parameters gamma and beta [units]
/// Limits   epsilon > 0
/// Numbers  the variance is biased; gamma starts at 1, beta at 0
/// Errors   std::invalid_argument for epsilon <= 0 and samples without dimensions
/// Source   Ba, Kiros and Hinton, arXiv 1607.06450; defaults as Keras has them
struct LayerNormalization {
  float epsilon = 1e-3f;

  static std::string kind() { return "LayerNormalization"; }
  std::string description() const;
  Value operator()(Builder& builder, Value x) const;
};

}  // namespace systole::nn
