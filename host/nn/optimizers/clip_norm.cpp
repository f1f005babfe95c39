#include "host/nn/optimizers/clip_norm.h"

#include <cmath>

namespace systole::nn {

double clip_norm(std::span<Parameter* const> parameters, double limit) {
  double squares = 0;
  for (const Parameter* parameter : parameters) {
    // Lanes side by side, as a single sum would wait for itself.
    constexpr std::size_t kLanes = 8;
    double lanes[kLanes] = {};
    const auto& gradient = parameter->gradient;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      lanes[i % kLanes] += static_cast<double>(gradient[i]) * static_cast<double>(gradient[i]);
    }
    for (const double lane : lanes) squares += lane;
  }
  const double norm = std::sqrt(squares);
  if (norm > limit) {
    const auto scale = static_cast<float>(limit / norm);
    for (Parameter* parameter : parameters) {
      for (float& value : parameter->gradient) value *= scale;
    }
  }
  return norm;
}

}  // namespace systole::nn
