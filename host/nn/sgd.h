#pragma once

#include <cstdint>

#include "host/nn/parameter.h"

namespace systole::nn {

/// v = momentum * v - learning_rate * g;  w = w + v.
///
/// Limits   learning_rate > 0 and finite; 0 <= momentum < 1
/// Numbers  fp32, no fused operations: the same bits on every machine
/// Errors   check throws std::invalid_argument naming the option
struct Sgd {
  float learning_rate = 0.01f;
  float momentum = 0.0f;

  void check() const;
  void update(Parameter& parameter, std::int64_t step) const;
};

}  // namespace systole::nn
