#pragma once

#include "host/nn/layers/layer.h"

namespace systole::nn {

/// The same values, one-dimensional per sample.
struct Flatten {
  static std::string kind() { return "Flatten"; }
  Value operator()(Builder&, Value x) const {
    return reshape(x, {x.dimension(0), size_of(sample_shape(x))});
  }
};

}  // namespace systole::nn
