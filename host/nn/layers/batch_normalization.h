#pragma once

#include "host/nn/layers/layer.h"

namespace systole::nn {

/// y = gamma * (x - mean) / sqrt(variance + epsilon) + beta, channel by channel. Training uses the
/// batch's mean and variance, over all samples and positions, and updates moving averages:
/// moving = momentum * moving + (1 - momentum) * batch's. Inference uses the moving averages.
///
/// Shapes   any; channels are the last dimension, and the output's shape is the input's. Parameters
///          gamma, beta, and untrained moving_mean, moving_variance, each [channels]
/// Limits   0 <= momentum < 1, epsilon > 0
/// Numbers  the variance is biased, also in the moving average. Each device of a strategy
///          normalises its own part of a batch.
/// Errors   std::invalid_argument for options out of range and samples without dimensions
/// Source   Ioffe and Szegedy, ICML 2015; defaults as Keras has them
struct BatchNormalization {
  float momentum = 0.99f;
  float epsilon = 1e-3f;

  static std::string kind() { return "BatchNormalization"; }
  std::string description() const;
  Value operator()(Builder& builder, Value x) const;
};

}  // namespace systole::nn
