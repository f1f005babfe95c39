#include "host/nn/layers/embedding.h"

#include <fmt/format.h>

#include <stdexcept>

namespace systole::nn {

std::string Embedding::description() const { return fmt::format("Embedding({} words)", words); }

Value Embedding::operator()(Builder& builder, Value x) const {
  if (words < 1 || units < 1) {
    throw std::invalid_argument(
        fmt::format("Embedding: a table of {} x {} has no values", words, units));
  }
  return take_rows(embedding_table(builder, {words, units}), convert(x, graph::Element::kS32));
}

Value embedding_table(Builder& builder, const Shape& shape) {
  const Initial uniform = [](std::span<float> table, Generator& generator) {
    for (float& value : table) value = generator.uniform(-0.05f, 0.05f);
  };
  return builder.weight("table", shape, uniform);
}

}  // namespace systole::nn
