#include "host/nn/layers/add.h"

#include <fmt/format.h>

#include <stdexcept>

namespace systole::nn {

std::string Add::description() const {
  std::string text;
  for (const Layer& layer : layers) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", layer.description());
  }
  return fmt::format("{}({})", kind(), text);
}

Value Add::operator()(Builder& builder, Value x) const {
  if (layers.empty()) throw std::invalid_argument("Add: a chain without layers adds nothing");
  Value y = x;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Builder::Scope scope(builder, scope_name(i, layers[i]) + ".");
    y = layers[i](builder, y);
  }
  if (y.shape() != x.shape()) {
    throw std::invalid_argument(fmt::format("Add: the chain makes {} of a sample of {}",
                                            to_string(sample_shape(y)),
                                            to_string(sample_shape(x))));
  }
  return x + y;
}

}  // namespace systole::nn
