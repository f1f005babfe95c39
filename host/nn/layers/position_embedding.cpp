#include "host/nn/layers/position_embedding.h"

#include <fmt/format.h>

#include <stdexcept>

#include "host/nn/layers/embedding.h"

namespace systole::nn {

Value PositionEmbedding::operator()(Builder& builder, Value x) const {
  if (x.type().rank() != 3) {
    throw std::invalid_argument(fmt::format("PositionEmbedding: a sample is {}, not [steps, units]",
                                            to_string(sample_shape(x))));
  }
  return x + embedding_table(builder, sample_shape(x));
}

}  // namespace systole::nn
