#pragma once

#include <string>
#include <vector>

#include "host/nn/layers/layer.h"

namespace systole::nn {

/// y = x + f(x), f a chain of layers: Add{LayerNormalization{}, MultiHeadAttention{.heads = 4}}.
///
/// Shapes   f's result has x's shape
/// Errors   std::invalid_argument for a chain without layers, and for another shape, with both
/// Source   He et al., CVPR 2016
struct Add {
  std::vector<Layer> layers;

  Add(std::initializer_list<Layer> chain) : layers(chain) {}

  static std::string kind() { return "Add"; }
  std::string description() const;
  Value operator()(Builder& builder, Value x) const;
};

}  // namespace systole::nn
