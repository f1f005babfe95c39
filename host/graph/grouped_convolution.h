#pragma once

#include "host/graph/asked_product.h"

namespace systole::graph {

/// asked_product of a convolution with groups: a convolution for each, whose results are
/// concatenated.
///
/// Errors   GraphError for groups that do not divide the operands
Value grouped_convolution(const Operation& convolution, const std::vector<Value>& operands,
                          int asked, Element result, Products products);

}  // namespace systole::graph
