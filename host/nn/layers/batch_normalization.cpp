#include "host/nn/layers/batch_normalization.h"

#include <fmt/format.h>

#include <stdexcept>

namespace systole::nn {
namespace {

void need(bool holds, const std::string& what) {
  if (!holds) throw std::invalid_argument("BatchNormalization: " + what);
}

}  // namespace

std::string BatchNormalization::description() const {
  return fmt::format("{}({}, {})", kind(), momentum, epsilon);
}

Value BatchNormalization::operator()(Builder& builder, Value x) const {
  need(momentum >= 0 && momentum < 1, fmt::format("momentum {} is not in 0..1", momentum));
  need(epsilon > 0, fmt::format("epsilon {} is not > 0", epsilon));
  need(x.type().rank() > 1, "a sample has no dimensions");
  const Shape channels = {x.dimension(-1)};
  const Value gamma = builder.weight("gamma", channels, constantly(1));
  const Value beta = builder.weight("beta", channels, constantly(0));
  Value average = builder.state("moving_mean", channels, 0);
  Value variance = builder.state("moving_variance", channels, 1);
  const auto everywhere = [&](Value v) { return broadcast_to(v, x.shape()); };
  if (builder.training()) {
    const auto follow = [&](Value moving, Value measured) {
      builder.update(moving, moving * momentum + measured * (1.0f - momentum));
      return measured;
    };
    const graph::Integers places = graph::counting(x.type().rank() - 1);
    average = follow(average, mean(x, places));
    const Value difference = x - everywhere(average);
    variance = follow(variance, mean(difference * difference, places));
  }
  const Value scale = gamma * rsqrt(variance + epsilon);
  return (x - everywhere(average)) * everywhere(scale) + everywhere(beta);
}

}  // namespace systole::nn
