#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "host/nn/layers/parameter.h"
#include "host/nn/numbers/tensor.h"

namespace systole::nn {

/// Whether no value is NaN or infinite.
bool all_finite(std::span<const float> values);

/// What a layer has left of a step, on the host.
struct LayerState {
  std::size_t index = 0;  ///< as summary() counts
  std::string kind;       ///< "Dense"
  const Tensor* output = nullptr;
  const Tensor* d_output = nullptr;
  std::span<const Parameter> parameters = {};
};

/// Where a step went wrong: "the output of layer 2 (Conv2D) is not finite" for the first layer
/// whose output is not; else the same of "the gradient", for the last layer that was given one
/// which is not finite or made one; empty if all are finite.
std::string first_not_finite(std::span<const LayerState> layers);

}  // namespace systole::nn
