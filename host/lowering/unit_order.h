#pragma once

#include "host/lowering/lowered_graph.h"

namespace systole::lowering {

/// Brings units into an order that they can run in.
///
/// Errors   graph::GraphError if a state would be overwritten before it is read
void order_units(LoweredGraph& lowered);

}  // namespace systole::lowering
