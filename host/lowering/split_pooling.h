#pragma once

#include <memory>

#include "host/graph/graph.h"

namespace systole::lowering {

/// Writes maximum poolings and their gradients as slices, maxima and joined rows: first along the
/// image's rows, then along its columns, so that each step reads rows at equal distances.
///
/// Limits   images [batch, height, width, channels]; windows that lie side by side; other
///          windows stay
/// Numbers  as reduce_window and select_and_scatter: the first largest element gets the gradient
std::unique_ptr<graph::Graph> split_pooling(const graph::Graph& graph);

}  // namespace systole::lowering
