#pragma once

#include <span>

#include "host/graph/operation.h"

namespace systole::graph {

/// The operations, a file of this folder each; all_kinds() combines them.
std::span<const OperationKind> elementwise_kinds();
std::span<const OperationKind> word_kinds();     ///< bits, comparisons, conversions
std::span<const OperationKind> shape_kinds();    ///< constants, and moving values
std::span<const OperationKind> part_kinds();     ///< slice, pad, concatenate, dynamic slices
std::span<const OperationKind> product_kinds();  ///< dot_general, convolution
std::span<const OperationKind> reduction_kinds();
std::span<const OperationKind> window_kinds();    ///< reduce_window, select_and_scatter
std::span<const OperationKind> indexing_kinds();  ///< gather, scatter
std::span<const OperationKind> random_kinds();

/// Factors of matrices: qr, householder_product. They are not among all_kinds, as StableHLO has
/// them only as calls of a library.
std::span<const OperationKind> factor_kinds();

}  // namespace systole::graph
