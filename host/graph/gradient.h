#pragma once

#include <vector>

#include "host/graph/graph.h"

namespace systole::graph {

/// The gradients of a scalar with respect to each of `values`, as values of the same graph.
///
/// Shapes   each gradient has its value's type; zeros where the loss does not depend on it
/// Errors   GraphError if the loss is not a float scalar, a value is not a float, or an operation
///          between them has no gradient, with its layer and name
std::vector<Value> gradients(Value loss, std::span<const Value> values);

/// The interface between gradients() and an operation's gradient rule.
class Backward {
 public:
  Backward(Graph& graph, int operation, std::vector<Value> d_results, std::vector<Value>& d_values,
           const std::vector<bool>& wanted);

  Value operand(std::size_t i) const;
  Value result(std::size_t i = 0) const;
  Value d() const { return d_results_[0]; }  ///< the gradient of the first result
  bool wants(std::size_t operand) const;     ///< whether that operand's gradient is needed

  /// Adds to the gradient of an operand.
  void give(std::size_t operand, Value gradient);

  const Call& call() const { return call_; }

 private:
  const Operation& operation() const { return graph_.operations()[index_]; }

  Graph& graph_;
  int index_;
  std::vector<Attribute> attributes_;  // a copy, since rules add operations
  std::string scope_;
  Call call_;
  std::vector<Value> d_results_;
  std::vector<Value>& d_values_;
  const std::vector<bool>& wanted_;
};

}  // namespace systole::graph
