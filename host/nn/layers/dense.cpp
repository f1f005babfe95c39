#include "host/nn/layers/dense.h"

#include <fmt/format.h>

#include <stdexcept>

#include "host/nn/layers/initializer.h"

namespace systole::nn {

Value Dense::operator()(Builder& builder, Value x) const {
  if (units < 1) throw std::invalid_argument(fmt::format("Dense: units is {}, not >= 1", units));
  if (x.type().rank() != 2 && x.type().rank() != 3) {
    throw std::invalid_argument(
        fmt::format("Dense: a sample is {}, not one-dimensional or [steps, inputs]; put Flatten "
                    "before it",
                    to_string(sample_shape(x))));
  }
  const Value w = dense_weight(builder, "weight", x.dimension(-1), units);
  return activation(matmul(x, w) + builder.weight("bias", {units}, constantly(0)));
}

}  // namespace systole::nn
