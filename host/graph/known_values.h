#pragma once

#include <map>
#include <optional>

#include "host/graph/graph.h"

namespace systole::graph {

/// The values of a growing graph that depend on constants alone.
///
/// Limits   tensors of at most 64 elements, and what is computed from such alone
class KnownValues {
 public:
  explicit KnownValues(const Graph& graph) : graph_(graph) {}

  /// Null for a value that depends on an input, or is too large.
  const Literal* find(int value);

 private:
  std::optional<Literal> evaluate_value(int value);

  const Graph& graph_;
  std::map<int, std::optional<Literal>> known_;
};

}  // namespace systole::graph
