#pragma once

#include <optional>
#include <vector>

#include "hls/compiler/dataflow/network.h"
#include "hls/compiler/dataflow/simulate_network.h"
#include "hls/compiler/loops/compile_kernel.h"

namespace systole::compiler {

/// The report of a joined network; with `run`, its clocks are known.
KernelReport describe_network(const Network& network,
                              const std::vector<const CompiledKernel*>& processes,
                              const std::optional<NetworkRun>& run, const LoweredModule& module);

}  // namespace systole::compiler
