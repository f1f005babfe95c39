#pragma once

#include <memory>

#include "host/graph/graph.h"

namespace systole::lowering {

/// The graph with i32 of 0 to 255 in the place of ui8, inputs and outputs as well; null if it has
/// no ui8.
///
/// Before   %s = add(%a, %b) : tensor<8xui8>
/// After    %t = add(%a, %b) : tensor<8xi32>
///          %s = and(%t, 255) : tensor<8xi32>
std::unique_ptr<graph::Graph> bytes_as_words(const graph::Graph& graph);

}  // namespace systole::lowering
