#pragma once

#include <functional>
#include <string>
#include <variant>

#include "host/nn/layers/builder.h"

namespace systole::nn {

/// An optimizer's inputs: one parameter, its gradient, and the scalars of the step.
struct Update {
  Value value, gradient;
  Value learning_rate;  ///< the schedule applied
  Value step;           ///< a float, 1 in the first step
  /// The next value of this parameter's memory, which starts as zeros. Ask in the same order in
  /// each step.
  std::function<Value()> slot;
  std::function<void(Value slot, Value next)> keep;

  /// Whether the parameter is a vector or a scalar, as biases and normalisations' scales are.
  bool is_vector() const { return value.type().rank() < 2; }
};

// An optimizer writes a parameter's next value in operations of the graph.
//
// Limits   learning_rate > 0 and finite; weight_decay >= 0: before the update w loses
//          learning_rate * weight_decay * w
// Errors   check throws std::invalid_argument naming the option

/// v = momentum * v - learning_rate * g;  w = w + v, or with nesterov
/// w = w + momentum * v - learning_rate * g.
///
/// Limits   0 <= momentum < 1, > 0 with nesterov
struct Sgd {
  float learning_rate = 0.01f;
  float momentum = 0.0f;
  bool nesterov = false;
  float weight_decay = 0.0f;

  void check() const;
  std::string describe() const;  ///< every option, in text
  Value operator()(const Update& update) const;
};

/// m = m + (1 - beta1)(g - m);  v = v + (1 - beta2)(g^2 - v);
/// w = w - learning_rate * sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + epsilon).
///
/// AdamW is Adam with a decay of matrices alone: adam_w.
///
/// Limits   0 <= beta1, beta2 < 1; epsilon > 0
/// Source   Kingma and Ba, ICLR 2015, in the form at the end of its section 2 (as Keras has it);
///          Loshchilov and Hutter, ICLR 2019, for the decay
struct Adam {
  float learning_rate = 0.001f;
  float beta1 = 0.9f;
  float beta2 = 0.999f;
  float epsilon = 1e-7f;
  float weight_decay = 0.0f;
  bool decays_vectors = true;  ///< false: biases and normalisations' scales keep their size

  void check() const;
  std::string describe() const;
  Value operator()(const Update& update) const;
};

/// AdamW as transformers are trained: biases and normalisations do not decay.
inline Adam adam_w(float learning_rate, float weight_decay = 0.1f) {
  return {.learning_rate = learning_rate, .weight_decay = weight_decay, .decays_vectors = false};
}

/// An optimizer of the caller's own; a resumed run must use the same name.
struct OwnOptimizer {
  std::string name;
  float learning_rate = 0.001f;
  std::function<Value(const Update&)> update;

  void check() const;
  std::string describe() const;
  Value operator()(const Update& step) const { return update(step); }
};

using Optimizer = std::variant<Sgd, Adam, OwnOptimizer>;

/// "adam, learning rate 0.001, ...": every option, so that equal words mean equal updates.
std::string describe(const Optimizer& optimizer);

}  // namespace systole::nn
