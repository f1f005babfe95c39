#pragma once

#include <memory>
#include <vector>

#include "host/graph/graph.h"

namespace systole::lowering {

/// Computes parts of tensors, as an unrolled loop takes them, where they are used:
///
///     slice(f(a, b))            ->  f(slice(a), slice(b))       if no more of f's result is used
///     slice(broadcast(a))       ->  broadcast(slice(a))
///     slice(pad(a))             ->  slice(a), or zeros
///     slice(concatenate(a, b))  ->  slice(a)                    if it lies in a
///     reduce(a) over the first of three or more dimensions  ->  combined slices, pairs of pairs
///     concatenate(a, b) along the last dimension            ->  rows of [rows, 1, columns]
///
/// A product's bias stays with the product.
std::unique_ptr<graph::Graph> cut_parts(const graph::Graph& graph);

/// Gives each operand of a concatenation along the first dimension a place in the result alone.
/// What is needed elsewhere, or is no result of a kernel or a product, is copied by a broadcast to
/// its own shape. Nothing may simplify the graph after that.
std::unique_ptr<graph::Graph> separate_parts(const graph::Graph& graph);

/// By value: whether it follows from constants and from scalars that no step updates alone.
std::vector<bool> find_numbers(const graph::Graph& graph);

/// Whether an operation concatenates tensors along their first dimension.
bool joins_tensors(const graph::Graph& graph, const graph::Operation& operation);

}  // namespace systole::lowering
