#pragma once

#include "host/graph/statement.h"

namespace systole::graph {

/// Brings what StableHLO allows beyond our operations to them, by operations before the
/// statement's:
///
///     select(p, a, b), clamp(low, x, high)   a scalar p, low or high is broadcast
///     gather, scatter with batching          indices get a coordinate for each batching
///     dimensions                             dimension: the index along it
///     gather of one whole slice              reshape: clamped, its index is 0
///     add, maximum, ... of predicates        or, and
///
/// Errors   GraphError of the operations that it adds
void normalize(Statement& statement);

}  // namespace systole::graph
