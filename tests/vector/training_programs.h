#pragma once

#include "host/vector/program.h"

namespace systole::vector {

// Pieces of a training step as micro-programs.

/// Adam's update of a word of parameters; bias corrections are in `rate`.
///
/// Shapes   streams in: gradient, m, v, w in fp32; out: m, v, w in fp32, w as bf16
/// Limits   v is 0 or at least 2^-125
/// Numbers  with h = g sqrt(1 - beta2): m = beta1 m + h (1 - beta1) / sqrt(1 - beta2);
///          v = beta2 v + h^2; w -= rate m / (sqrt(v) + epsilon)
struct AdamFactors {
  float rate, one_less_beta1, one_less_beta2, epsilon;
};
Program adam(const AdamFactors& factors);

/// velocity = momentum * velocity - rate * gradient; w += velocity.
///
/// Shapes   streams in: gradient, velocity, w; out: velocity, w, w as bf16
Program momentum(float rate, float momentum);

/// max(x, 0), and dY where X > 0, else 0.
Program relu();
Program relu_gradient();  ///< streams in: dY, X

/// The gradient of softmax cross entropy by its input: (softmax(x) - target) * factor, for rows of
/// one word of `lanes`.
///
/// Shapes   streams in: x, target; out: gradient
/// Numbers  the maximum, then e^(x - maximum), then their sum in the order of the lanes' butterfly
Program softmax_gradient(int lanes, float factor);

/// A uniform bit pattern of Philox4x32-10 for each element, as graph::random_block gives it.
///
/// Limits   the run's first element and the block's counter stay below 2^32
Program random_words(std::uint32_t key0, std::uint32_t key1);

}  // namespace systole::vector
