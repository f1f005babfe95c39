#pragma once

#include <vector>

#include "hls/compiler/dataflow/network.h"
#include "hls/compiler/loops/compile_kernel.h"

namespace systole::compiler {

/// Finds who fills and who empties each channel, from the ports of the compiled processes, one for
/// each of the network's, and adds a channel for each local scalar that one sets and another takes.
///
/// Errors   Refusal for a channel that is not filled by one process and emptied by one later, for a
///          parameter whose ports two processes would share, and for a scalar that nothing has set
void join_network(Network& network, const std::vector<const CompiledKernel*>& processes);

}  // namespace systole::compiler
