#pragma once

#include <functional>
#include <string>
#include <variant>

#include "host/nn/layers/builder.h"

namespace systole::nn {

/// What an optimizer works with: one parameter, its gradient, and the scalars of the step.
struct Update {
  Value value, gradient;
  Value learning_rate;  ///< as the schedule has it
  Value step;           ///< a float, 1 in the first step
  /// Memory for this parameter, zero at first; `next` is what it becomes. The same order in each
  /// step.
  std::function<Value()> slot;
  std::function<void(Value slot, Value next)> keep;
};

// An optimizer says, in operations of the graph, what a parameter becomes.
//
// Limits   learning_rate > 0 and finite; weight_decay >= 0: before the update,
//          learning_rate * weight_decay * w goes away from w
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
  std::string describe() const;  ///< every option, in words
  Value operator()(const Update& update) const;
};

/// m = m + (1 - beta1)(g - m);  v = v + (1 - beta2)(g^2 - v);
/// w = w - learning_rate * sqrt(1 - beta2^t) / (1 - beta1^t) * m / (sqrt(v) + epsilon).
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

  void check() const;
  std::string describe() const;
  Value operator()(const Update& update) const;
};

/// Any other; the name is what a resumed run must have in common.
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
