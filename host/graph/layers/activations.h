#pragma once

#include "host/graph/ops.h"

namespace systole::graph {

/// Functions of one value, usable wherever a layer takes an activation; a new one is a line.
inline Value linear(Value x) { return x; }
inline Value relu(Value x) { return maximum(x, constant_like(x, 0)); }
inline Value leaky_relu(Value x) { return maximum(x, x * 0.2); }
inline Value sigmoid(Value x) { return logistic(x); }
inline Value silu(Value x) { return x * logistic(x); }
inline Value softplus(Value x) { return relu(x) + log_plus_one(exponential(-abs(x))); }

/// x - log(sum(exp(x))) along the last dimension; the maximum goes first, and counts as a constant.
Value log_softmax(Value x);
Value softmax(Value x);

using Activation = Value (*)(Value);

}  // namespace systole::graph
