#pragma once

#include <map>

#include "host/graph/graph.h"

namespace systole::graph {

/// How the oracle keeps what it computes.
enum class Rounding : std::uint8_t {
  kToType,  ///< every result rounded to its type once: what one operation gives exactly
  kNone,    ///< floats stay double, for finite differences
};

/// The outputs of a graph, operation by operation in plain loops: what every evaluator is compared
/// with, and what folds constants.
///
/// Shapes   inputs in the graph's order, of its types
/// Timing   for tests and small graphs
std::vector<Literal> evaluate(const Graph& graph, std::span<const Literal> inputs,
                              Rounding rounding = Rounding::kToType);

/// One operation's results.
std::vector<Literal> evaluate(const Call& call, std::span<const Literal> operands,
                              Rounding rounding = Rounding::kToType);

}  // namespace systole::graph
