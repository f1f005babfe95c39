#pragma once

#include <string>

#include "host/nn/layers/layer.h"

namespace systole::nn {

/// y = x W^T of another layer's weight W, as the logits of words from the table that embeds them.
/// The weight's gradient is the sum of both uses'.
///
/// Shapes   x [rows, ..., units], W [words, units], y [rows, ..., words]
/// Limits   `weight` is a parameter of an earlier layer, by its whole name: "0.embedding.table"
/// Errors   std::invalid_argument for an unknown name, with the known ones, and for other units
/// Source   Press and Wolf, EACL 2017
struct TiedDense {
  std::string weight;

  static std::string kind() { return "TiedDense"; }
  std::string description() const { return kind() + "(" + weight + ")"; }
  Value operator()(Builder& builder, Value x) const;
};

}  // namespace systole::nn
