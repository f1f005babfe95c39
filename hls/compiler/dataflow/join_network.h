#pragma once

#include <vector>

#include "hls/compiler/dataflow/network.h"
#include "hls/compiler/loops/compile_kernel.h"

namespace systole::compiler {

/// Finds who fills and who empties each channel, from the ports of the compiled processes, one for
/// each of the network's.
///
/// Errors   Refusal for a channel that is not filled by one process and emptied by one later, and
///          for a parameter whose ports two processes would share
void join_network(Network& network, const std::vector<const CompiledKernel*>& processes);

}  // namespace systole::compiler
