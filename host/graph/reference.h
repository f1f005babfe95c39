#pragma once

#include "host/graph/graph.h"

namespace systole::graph {

/// How the oracle rounds.
enum class Rounding : std::uint8_t {
  kToType,  ///< every result is rounded once to its type
  kNone,    ///< floats stay double, for finite differences
};

/// Evaluates a graph operation by operation in plain loops: the oracle of every evaluator, which
/// also folds constants.
///
/// Shapes   inputs in the graph's order, of its types
/// Timing   for tests and small graphs
std::vector<Literal> evaluate(const Graph& graph, std::span<const Literal> inputs,
                              Rounding rounding = Rounding::kToType);

/// One operation's results.
std::vector<Literal> evaluate(const Call& call, std::span<const Literal> operands,
                              Rounding rounding = Rounding::kToType);

}  // namespace systole::graph
