#pragma once

#include <memory>

#include "host/graph/graph.h"

namespace systole::lowering {

/// Writes a gather of elements along one dimension, as of a label's probability or by
/// take_along_axis, and the scatter that is its gradient, as comparisons of places:
///
///     gather(x, [row, label])          ->  the row's sum of (column == label ? x : 0)
///     scatter(x, [row, label], d)      ->  x + (column == label ? d : 0)
///
/// Several labels of a row repeat it; their scatter adds them up.
///
/// Shapes   x of any rank, f32, i32 or ui32; labels along any dimension of it, as many at each
/// place
///          along the others; of one dimension, any number of labels
/// Numbers  a label outside is the nearest place's in a gather, and none's in a scatter, as there
std::unique_ptr<graph::Graph> chosen_elements(const graph::Graph& graph);

}  // namespace systole::lowering
