#pragma once

#include <memory>

#include "host/graph/graph.h"

namespace systole::lowering {

/// Writes rows of a table that are chosen by numbers, and the sum of gradients of such rows, as
/// products with a matrix that has a one in each row: an embedding, and its gradient.
///
/// Shapes   a table [rows, ...], numbers of any shape, with or without a dimension of one for the
///          vector; other gathers and scatters stay
/// Numbers  the rows are rounded to bf16, as operands of a product; so are the gradients, and their
///          sums are in fp32. Numbers outside the table take the nearest row, and give to none
std::unique_ptr<graph::Graph> rows_by_products(const graph::Graph& graph);

}  // namespace systole::lowering
