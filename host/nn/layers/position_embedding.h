#pragma once

#include "host/nn/layers/layer.h"

namespace systole::nn {

/// y = x + table: a trained row for each place of a sample, as after an Embedding.
///
/// Shapes   x and y [rows, steps, units]; table [steps, units]
/// Numbers  the table starts uniform in +-0.05, as Embedding's
/// Errors   std::invalid_argument for a sample that is not [steps, units]
/// Source   Gehring et al., ICML 2017; learned positions as GPT has them
struct PositionEmbedding {
  static std::string kind() { return "PositionEmbedding"; }
  Value operator()(Builder& builder, Value x) const;
};

}  // namespace systole::nn
