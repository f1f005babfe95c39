#pragma once

#include <cstdint>
#include <string>

#include "host/nn/layers/layer.h"

namespace systole::nn {

/// y = table[x]: one trained row for each number.
///
/// Shapes   x of any shape, i32 or whole f32; y has x's shape, then units
/// Limits   numbers outside 0..words - 1 take the nearest row
/// Numbers  the table starts uniform in +-0.05, as in Keras; a row's gradients are added in the
///          order of x
struct Embedding {
  std::int64_t words = 0, units = 0;

  static std::string kind() { return "Embedding"; }
  std::string description() const;
  Value operator()(Builder& builder, Value x) const;
};

/// A parameter "table" of this shape, which starts as an Embedding's.
Value embedding_table(Builder& builder, const Shape& shape);

}  // namespace systole::nn
