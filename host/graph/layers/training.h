#pragma once

#include "host/graph/layers/layers.h"

namespace systole::graph {

/// The mean over the batch of -log(softmax(logits)) at each sample's label, an i32.
Value softmax_cross_entropy(Value logits, Value labels);
Value mean_squared_error(Value outputs, Value targets);
/// The share of samples whose largest output is at its label, the first of equals counting.
Value accuracy(Value outputs, Value labels);

/// What an optimizer works with: one variable's gradient, and the scalars of the step.
struct Update {
  Model& model;
  const Variable& variable;
  Value gradient;
  Value learning_rate;  ///< an input of the graph
  Value step;           ///< a float, 1 in the first step

  /// State of the optimizer for this variable, zero at first.
  Value slot(std::string_view name) const;
};

/// Returns the variable's next value.
using Optimizer = std::function<Value(const Update&)>;

/// v = momentum v - rate g; w += v. Without momentum, w -= rate g.
struct Sgd {
  double momentum = 0;
  bool nesterov = false;
  double weight_decay = 0;

  Value operator()(const Update& update) const;
};

/// Source   Kingma and Ba, ICLR 2015; decay as Loshchilov and Hutter, ICLR 2019
struct Adam {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-7, weight_decay = 0;

  Value operator()(const Update& update) const;
};

/// Scales gradients together so that their norm is at most `limit`.
std::vector<Value> clip_norm(std::span<const Value> gradients, double limit);

struct StepOptions {
  Optimizer optimizer = Sgd{};
  double clip = 0;  ///< the longest norm of the gradients; 0 for any
};

/// Ends the graph of a training step: from the model and its loss to every variable's next value.
/// Inputs learning_rate and step, and an output loss, come to it; each variable is an input that
/// its next value updates.
void finish_step(Model& model, Value loss, const StepOptions& options);

}  // namespace systole::graph
