#pragma once

#include "host/nn/layers/layer.h"

namespace systole::nn {

/// y = max(x, 0), element by element; dx = dy where y > 0, else 0.
///
/// Shapes   any; the output's is the input's
/// Numbers  NaN stays NaN, so that a broken run is seen in its loss
struct Relu {
  std::unique_ptr<Layer> make() const;
};

}  // namespace systole::nn
