#pragma once

#include <cstdint>

#include "host/nn/layers/layer.h"

namespace systole::nn {

/// Self-attention: each place of a sample takes a mean of the values of all places up to it, or of
/// all where it is not causal, weighted by how well their keys match its query.
///
///     q = x Wq + bq    k = x Wk + bk    v = x Wv + bv       each cut into `heads` of units / heads
///     weights[t, s] = softmax over s of q[t] . k[s] / sqrt(units / heads), 0 for s > t if causal
///     y = (weights v of all heads, side by side) Wo + bo
///
/// Shapes   x and y [rows, steps, units]; Wq, Wk, Wv, Wo [units, units], biases [units]
/// Limits   heads >= 1 divides units
/// Numbers  weights start Glorot uniform, biases at 0. The softmax subtracts each row's maximum;
///          what is not seen has a score of -1e9
/// Errors   std::invalid_argument for a sample that is not [steps, units], and heads that do not
///          divide units
/// Source   Vaswani et al., NIPS 2017, section 3.2
struct MultiHeadAttention {
  std::int64_t heads = 1;
  bool causal = true;

  static std::string kind() { return "MultiHeadAttention"; }
  std::string description() const;
  Value operator()(Builder& builder, Value x) const;
};

}  // namespace systole::nn
