#pragma once

#include "host/nn/layers/layer.h"

namespace systole::nn {

/// In training sets each value to 0 with probability `rate` and scales the others by
/// 1 / (1 - rate); otherwise changes nothing.
///
/// Limits   0 <= rate < 1
/// Numbers  the dropped values depend only on the model's seed, the layer's place, the step and the
///          sample's place in the whole batch: the same on any number of cores and threads
/// Errors   std::invalid_argument for a rate out of range
/// Source   Srivastava et al., JMLR 2014
struct Dropout {
  float rate = 0.5f;

  static std::string kind() { return "Dropout"; }
  std::string description() const;
  Value operator()(Builder& builder, Value x) const;
};

}  // namespace systole::nn
