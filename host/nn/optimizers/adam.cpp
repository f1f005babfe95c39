#include "host/nn/optimizers/adam.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "host/nn/optimizers/weight_decay.h"

namespace systole::nn {

void Adam::check() const {
  if (!(learning_rate > 0) || !std::isfinite(learning_rate)) {
    throw std::invalid_argument(fmt::format("learning rate {} is not > 0", learning_rate));
  }
  if (!(beta1 >= 0 && beta1 < 1) || !(beta2 >= 0 && beta2 < 1)) {
    throw std::invalid_argument(
        fmt::format("Adam: beta1 {} and beta2 {} must be in 0..1", beta1, beta2));
  }
  if (!(epsilon > 0))
    throw std::invalid_argument(fmt::format("Adam: epsilon {} is not > 0", epsilon));
  check_weight_decay(weight_decay);
}

void Adam::update(Parameter& parameter, std::int64_t step) const {
  parameter.need_slots(2);
  decay_weights(parameter, learning_rate * weight_decay);
  const std::size_t size = parameter.value.size();
  float* w = parameter.value.data();
  float* m = parameter.slots[0].data();
  float* v = parameter.slots[1].data();
  const float* g = parameter.gradient.data();
  const auto t = static_cast<double>(step);
  const auto rate = static_cast<float>(learning_rate * std::sqrt(1 - std::pow(double{beta2}, t)) /
                                       (1 - std::pow(double{beta1}, t)));
  const float new1 = 1.0f - beta1;
  const float new2 = 1.0f - beta2;
  for (std::size_t i = 0; i < size; ++i) {
    m[i] += new1 * (g[i] - m[i]);
    v[i] += new2 * (g[i] * g[i] - v[i]);
    w[i] -= rate * m[i] / (std::sqrt(v[i]) + epsilon);
  }
  ++parameter.version;
}

}  // namespace systole::nn
