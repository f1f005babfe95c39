#pragma once

#include <memory>
#include <vector>

#include "host/device/device_memory.h"
#include "sim/device/line_cores.h"
#include "sim/memory/memory_behaviour.h"

namespace systole::sim {

/// Accelerators in neighbouring SystemC benches, as make_systemc_device makes each, with links
/// between them. Their hosts are threads of the one simulation, whose clocks run together.
///
/// Limits   of the 16 benches of a process; memories must outlive the cores
/// Errors   as make_systemc_device
std::unique_ptr<LineCores> make_systemc_cores(
    int array_size, const std::vector<std::shared_ptr<DeviceMemory>>& memories,
    const MemoryBehaviour& behaviour = {});

}  // namespace systole::sim
