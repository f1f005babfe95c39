#pragma once

#include <memory>

#include "host/graph/graph.h"

namespace systole::graph {

/// A loop whose end depends on data, which a device cannot run: `while` of the values that it
/// carries, then those that its condition and its body read besides. The regions are graphs in text
/// form: the condition gives a predicate, the body the carried values' next.
///
/// Limits   not among all_kinds, as a text has no such operation
struct WhileLoop {
  std::size_t carried = 0, condition_captures = 0;
  std::unique_ptr<Graph> condition, body;
};

const OperationKind& while_kind();

/// Errors   GraphError for regions whose types do not fit
std::vector<Value> add_while(Graph& graph, const std::vector<Value>& carried,
                             const Graph& condition, const std::vector<Value>& condition_captures,
                             const Graph& body, const std::vector<Value>& body_captures);

/// Of an operation of that kind, with its attributes.
WhileLoop read_while(std::span<const Attribute> attributes);

}  // namespace systole::graph
