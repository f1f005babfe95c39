#pragma once

#include "host/compiler/units/lowered_graph.h"

namespace systole::lowering {

/// Brings the units of a graph into an order that they can run in.
///
/// Errors   graph::GraphError if a state would be overwritten before it is read, with its name
void order_units(LoweredGraph& lowered, const graph::Graph& graph);

}  // namespace systole::lowering
