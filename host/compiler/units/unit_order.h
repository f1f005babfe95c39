#pragma once

#include "host/compiler/units/lowered_graph.h"

namespace systole::lowering {

/// Brings the units of a graph into an order that they can run in. Refuses a state that would be
/// overwritten before it is read, with its name; the units are as they were then.
std::optional<Refusal> order_units(LoweredGraph& lowered, const graph::Graph& graph);

}  // namespace systole::lowering
