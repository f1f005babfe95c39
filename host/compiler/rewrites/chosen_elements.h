#pragma once

#include <memory>

#include "host/graph/graph.h"

namespace systole::lowering {

/// Writes a gather of one element of each row, as of a label's probability, and the scatter that is
/// its gradient, as comparisons of column numbers:
///
///     gather(x, [row, label])          ->  the row's sum of (column == label ? x : 0)
///     scatter(x, [row, label], d)      ->  x + (column == label ? d : 0)
///
/// Shapes   x [..., columns] of any rank; a row is a place along each dimension but the last
/// Numbers  a label outside is the nearest column's in a gather, and none's in a scatter, as there
std::unique_ptr<graph::Graph> chosen_elements(const graph::Graph& graph);

}  // namespace systole::lowering
