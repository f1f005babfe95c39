#pragma once

#include "host/nn/layers/layer.h"

namespace systole::nn {

/// In training, y = x / (1 - rate) for a random share 1 - rate of the values and 0 for the others;
/// otherwise y = x. dx = dy where y kept x, times the same factor.
///
/// Shapes   any; the output's is the input's
/// Limits   0 <= rate < 1
/// Numbers  which values are kept depends on the model's seed, the layer's place, the step and the
///          sample's place in the batch alone: a run that is taken up again, and a batch that is
///          spread over devices, drop the same ones
/// Errors   std::invalid_argument for another rate
/// Source   Srivastava et al., JMLR 15, 2014; "inverted", as Keras has it
struct Dropout {
  float rate = 0.5f;

  std::unique_ptr<Layer> make() const;
};

}  // namespace systole::nn
