#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>

#include "host/nn/layers/builder.h"
#include "host/nn/numbers/tensor.h"
#include "host/nn/training/score.h"

namespace systole::nn {

// A loss says, in operations of the graph, what is to become small: a scalar of a model's outputs
// and their targets.
//
// Shapes   outputs [rows, classes]; targets of the same shape, or one i32 per row ("sparse"), which
//          is a target of 1 for that class and 0 for the others

/// loss = mean over rows of -log(softmax(z)[label]).
///
/// Numbers  shifted by the row's maximum, so that exp never overflows
struct SoftmaxCrossEntropy {
  std::string describe() const { return "softmax cross-entropy"; }  ///< every option, in words
  void check() const {}
  Value operator()(Value logits, Value targets) const;
};

/// loss = mean over rows of -sum over c of t[c] log p[c], with p the outputs themselves, such as a
/// softmax layer gives, or with from_logits their softmax; t the targets.
///
/// Limits   0 <= label_smoothing < 1
/// Numbers  targets t become (1 - label_smoothing) t + label_smoothing / classes. Probabilities are
///          divided by their sum and kept in 1e-7..1 - 1e-7, as in Keras; where they are cut, the
///          gradient is 0
struct CategoricalCrossEntropy {
  bool from_logits = false;
  float label_smoothing = 0.0f;

  std::string describe() const;
  void check() const;
  Value operator()(Value outputs, Value targets) const;
};

/// loss = mean over rows and outputs of (y - t)^2.
struct MeanSquaredError {
  std::string describe() const { return "mean squared error"; }
  void check() const {}
  Value operator()(Value outputs, Value targets) const;
};

/// loss = mean of -log(softmax(z)[label]) over the rows whose label is not `padding`; the others
/// change neither loss nor gradient. Within a Sequential, batches of unequal padding count alike.
///
/// Shapes   z [..., classes], labels [...]
/// Limits   at least one label counts
struct MaskedCrossEntropy {
  std::int32_t padding = 0;

  Value operator()(Value logits, Value labels) const;
};

/// Any other; the name is what a resumed run must have in common.
struct OwnLoss {
  std::string name;
  std::function<Value(Value outputs, Value targets)> loss;

  std::string describe() const { return name; }
  void check() const {}
  Value operator()(Value outputs, Value targets) const { return loss(outputs, targets); }
};

using Loss = std::variant<SoftmaxCrossEntropy, CategoricalCrossEntropy, MeanSquaredError, OwnLoss>;

/// 1 at each label's class and 0 elsewhere, where targets are class numbers; else themselves.
Value dense_targets(Value outputs, Value targets);

/// The share of rows whose largest output is at their target's, the first of equals counting; of
/// rows whose label is not `padding`.
Value accuracy(Value outputs, Value targets);
Value accuracy(Value outputs, Value labels, std::int32_t padding);

/// Loss and accuracy of a model's outputs, on this processor.
///
/// Errors   std::invalid_argument for a label out of range, and for sizes that do not match
Score evaluate(const Loss& loss, const Tensor& outputs, std::span<const std::int32_t> labels);
Score evaluate(const Loss& loss, const Tensor& outputs, const Tensor& targets);

}  // namespace systole::nn
