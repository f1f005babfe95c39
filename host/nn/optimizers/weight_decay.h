#pragma once

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "host/nn/layers/parameter.h"

namespace systole::nn {

/// Decoupled weight decay, as optimizers share it: w = w - share * w.
inline void decay_weights(Parameter& parameter, float share) {
  if (share == 0) return;
  for (float& w : parameter.value) w -= share * w;
}

/// Errors   std::invalid_argument unless it is >= 0 and finite
inline void check_weight_decay(float weight_decay) {
  if (weight_decay >= 0 && std::isfinite(weight_decay)) return;
  throw std::invalid_argument(fmt::format("weight decay {} is not >= 0", weight_decay));
}

}  // namespace systole::nn
