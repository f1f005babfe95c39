#pragma once

#include "host/nn/layers/layer.h"

namespace systole::nn {

/// Makes each sample one-dimensional; the values stay where they are.
///
/// Shapes   any to [size_of(shape)], row-major
struct Flatten {
  std::unique_ptr<Layer> make() const;
};

}  // namespace systole::nn
