#pragma once

#include <map>
#include <optional>

#include "host/graph/graph.h"

namespace systole::graph {

/// The values of a growing graph that depend on constants alone.
///
/// Limits   tensors of at most `most` elements, and what is computed from such alone
class KnownValues {
 public:
  explicit KnownValues(const Graph& graph, std::int64_t most = 64) : graph_(graph), most_(most) {}

  /// Null for a value that depends on an input, or is too large.
  const Literal* find(int value);

 private:
  std::optional<Literal> evaluate_value(int value);

  const Graph& graph_;
  std::int64_t most_;
  std::map<int, std::optional<Literal>> known_;
};

}  // namespace systole::graph
