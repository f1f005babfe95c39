#pragma once

#include <cstdint>

#include "host/nn/layers/parameter.h"

namespace systole::nn {

/// v = momentum * v - learning_rate * g;  w = w + v, or with nesterov
/// w = w + momentum * v - learning_rate * g. Before that, weight_decay takes
/// learning_rate * weight_decay * w away from w.
///
/// Limits   learning_rate > 0 and finite; 0 <= momentum < 1, > 0 with nesterov; weight_decay >= 0
/// Numbers  fp32, no fused operations: the same bits on every machine
/// Errors   check throws std::invalid_argument naming the option
struct Sgd {
  float learning_rate = 0.01f;
  float momentum = 0.0f;
  bool nesterov = false;
  float weight_decay = 0.0f;

  void check() const;
  void update(Parameter& parameter, std::int64_t step) const;
};

}  // namespace systole::nn
