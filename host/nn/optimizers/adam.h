#pragma once

#include <cstdint>

#include "host/nn/layers/parameter.h"

namespace systole::nn {

/// m = m + (1 - beta1)(g - m);  v = v + (1 - beta2)(g^2 - v);
/// w = w - learning_rate * sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + epsilon).
/// Before that, weight_decay takes learning_rate * weight_decay * w away from w ("AdamW").
///
/// Limits   learning_rate > 0 and finite; 0 <= beta1, beta2 < 1; epsilon > 0; step t >= 1;
///          weight_decay >= 0
/// Numbers  fp32, no fused operations; the factor of t is computed in fp64 and rounded once
/// Errors   check throws std::invalid_argument naming the option
/// Source   Kingma and Ba, ICLR 2015, in the form at the end of its section 2 (as Keras has it);
///          Loshchilov and Hutter, ICLR 2019, for the decay
struct Adam {
  float learning_rate = 0.001f;
  float beta1 = 0.9f;
  float beta2 = 0.999f;
  float epsilon = 1e-7f;
  float weight_decay = 0.0f;

  void check() const;
  void update(Parameter& parameter, std::int64_t step) const;
};

}  // namespace systole::nn
