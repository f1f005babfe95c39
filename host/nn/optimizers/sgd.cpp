#include "host/nn/optimizers/sgd.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "host/nn/optimizers/weight_decay.h"

namespace systole::nn {

void Sgd::check() const {
  if (!(learning_rate > 0) || !std::isfinite(learning_rate)) {
    throw std::invalid_argument(fmt::format("learning rate {} is not > 0", learning_rate));
  }
  if (!(momentum >= 0 && momentum < 1)) {
    throw std::invalid_argument(fmt::format("momentum {} is not in 0..1", momentum));
  }
  if (nesterov && momentum == 0) throw std::invalid_argument("nesterov needs a momentum above 0");
  check_weight_decay(weight_decay);
}

void Sgd::update(Parameter& parameter, std::int64_t) const {
  const std::size_t size = parameter.value.size();
  float* w = parameter.value.data();
  const float* g = parameter.gradient.data();
  decay_weights(parameter, learning_rate * weight_decay);
  if (momentum == 0) {
    for (std::size_t i = 0; i < size; ++i) w[i] -= learning_rate * g[i];
  } else {
    parameter.need_slots(1);
    float* v = parameter.slots[0].data();
    for (std::size_t i = 0; i < size; ++i) {
      const float step = learning_rate * g[i];
      v[i] = momentum * v[i] - step;
      w[i] += nesterov ? momentum * v[i] - step : v[i];
    }
  }
  ++parameter.version;
}

}  // namespace systole::nn
