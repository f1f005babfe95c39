#pragma once

#include <memory>

#include "host/graph/graph.h"

namespace systole::lowering {

/// Lays rows that are not whole words of `lanes` elements side by side, where they repeat a column
/// of numbers or are added up, as in the normalisation of few channels:
///
///     x [rows, cols] + c [cols]     as [rows / k, k cols], with c k times
///     sums of x's columns           as those of [rows / k, k cols], then of these k rows
///
/// Numbers  sums are in another order
std::unique_ptr<graph::Graph> fold_rows(const graph::Graph& graph, int lanes);

}  // namespace systole::lowering
