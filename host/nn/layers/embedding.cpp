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
  const Initial uniform = [](std::span<float> table, Generator& generator) {
    for (float& value : table) value = generator.uniform(-0.05f, 0.05f);
  };
  return take_rows(builder.weight("table", {words, units}, uniform),
                   convert(x, graph::Element::kS32));
}

}  // namespace systole::nn
