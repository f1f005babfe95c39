#include "host/nn/layers/layer_normalization.h"

#include <fmt/format.h>

#include <stdexcept>

namespace systole::nn {

std::string LayerNormalization::description() const {
  return fmt::format("{}({})", kind(), epsilon);
}

Value LayerNormalization::operator()(Builder& builder, Value x) const {
  if (!(epsilon > 0)) {
    throw std::invalid_argument(fmt::format("LayerNormalization: epsilon {} is not > 0", epsilon));
  }
  if (x.type().rank() < 2) {
    throw std::invalid_argument("LayerNormalization: a sample has no dimensions");
  }
  const std::int64_t last = x.type().rank() - 1;
  const Shape units = {x.dimension(-1)};
  const Value gamma = builder.weight("gamma", units, constantly(1));
  const Value beta = builder.weight("beta", units, constantly(0));
  const auto along = [&](Value v) { return repeat(v, x.shape(), {last}); };
  const Value distance = x - along(mean(x, {last}));
  const Value scale = rsqrt(mean(distance * distance, {last}) + epsilon);
  return distance * along(scale) * gamma + beta;
}

}  // namespace systole::nn
