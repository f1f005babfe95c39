#pragma once

#include <memory>

#include "host/graph/graph.h"

namespace systole::lowering {

/// Writes reductions of rows of more than `most` elements as reductions of parts of the rows, and
/// combines those.
///
/// Numbers  a sum adds the parts' sums, first to last; all parts but the last have as many elements
std::unique_ptr<graph::Graph> split_reductions(const graph::Graph& graph, std::int64_t most);

}  // namespace systole::lowering
