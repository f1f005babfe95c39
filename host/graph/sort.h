#pragma once

#include <functional>

#include "host/graph/graph.h"

namespace systole::graph {

/// Whether the first of two elements comes before the second: a predicate of the shape of both,
/// where each element has a part of each of the values that are sorted together.
using Before = std::function<Value(std::span<const Value> first, std::span<const Value> second)>;

/// Values of one shape, sorted together along a dimension; what is equal stays in order.
///
/// It is a network of comparisons, log2(n) (log2(n) + 1) / 2 of the whole tensor for n elements, so
/// any device that compares and selects can sort.
///
/// Source   bitonic merging, Batcher, AFIPS 1968; a merge's first step takes mirrored pairs
std::vector<Value> sort(std::span<const Value> values, std::int64_t dimension,
                        const Before& before);

/// An integer of the order of a float: zeros and NaNs by their signs, as TOTALORDER compares.
Value total_order(Value x);

}  // namespace systole::graph
