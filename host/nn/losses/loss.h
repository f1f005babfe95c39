#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>

#include "host/nn/layers/builder.h"
#include "host/nn/losses/score.h"
#include "host/nn/numbers/tensor.h"

namespace systole::nn {

// A loss writes in operations of the graph what training minimises: a scalar of a model's outputs
// and their targets.
//
// Shapes   outputs [rows, classes]; targets of the same shape, or one i32 per row ("sparse"): 1 for
//          that class and 0 for the others

/// loss = mean over rows of -log(softmax(z)[label]).
///
/// Numbers  shifted by the row's maximum, so that exp never overflows
struct SoftmaxCrossEntropy {
  std::string describe() const { return "softmax cross-entropy"; }  ///< every option, in words
  void check() const {}
  Value operator()(Value logits, Value targets) const;
};

/// loss = mean over rows of -sum over c of t[c] log p[c]: t are the targets, p the outputs (such as
/// a softmax layer's) or, with from_logits, their softmax.
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
/// change neither loss nor gradient. A Sequential weighs batches equally, whatever their padding.
///
/// Shapes   z [..., classes], labels [...]
/// Limits   at least one label counts
struct MaskedCrossEntropy {
  std::int32_t padding = 0;

  Value operator()(Value logits, Value labels) const;
};

/// A loss of the caller's own; a resumed run must use the same name.
struct OwnLoss {
  std::string name;
  std::function<Value(Value outputs, Value targets)> loss;

  std::string describe() const { return name; }
  void check() const {}
  Value operator()(Value outputs, Value targets) const { return loss(outputs, targets); }
};

using Loss = std::variant<SoftmaxCrossEntropy, CategoricalCrossEntropy, MeanSquaredError, OwnLoss>;

/// One-hot targets if they are class numbers, else the targets themselves.
Value dense_targets(Value outputs, Value targets);

/// The share of rows whose largest output is at the target's place, the first of equals counting;
/// rows with the label `padding` are left out.
Value accuracy(Value outputs, Value targets);
Value accuracy(Value outputs, Value labels, std::int32_t padding);

/// Loss and accuracy of a model's outputs, on this processor.
///
/// Errors   std::invalid_argument for a label out of range, and for sizes that do not match
Score evaluate(const Loss& loss, const Tensor& outputs, std::span<const std::int32_t> labels);
Score evaluate(const Loss& loss, const Tensor& outputs, const Tensor& targets);

}  // namespace systole::nn
