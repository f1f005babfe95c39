#pragma once

#include <span>

#include "host/graph/operation.h"

namespace systole::graph {

/// The operations, a file of this folder each; all_kinds() has them together.
std::span<const OperationKind> elementwise_kinds();
std::span<const OperationKind> shape_kinds();    ///< constants, and values in other places
std::span<const OperationKind> part_kinds();     ///< slice, pad, concatenate, with dynamic ones
std::span<const OperationKind> product_kinds();  ///< dot_general, convolution
std::span<const OperationKind> reduction_kinds();
std::span<const OperationKind> window_kinds();    ///< reduce_window, select_and_scatter
std::span<const OperationKind> indexing_kinds();  ///< gather, scatter
std::span<const OperationKind> random_kinds();

}  // namespace systole::graph
