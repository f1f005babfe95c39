#pragma once

#include <memory>

#include "host/device/device_memory.h"
#include "sim/device/device_harness.h"
#include "sim/device/device_port.h"

namespace systole::sim {

/// make_control_device for one array and bus. Each is compiled by itself: the compiler takes up to
/// half a minute over one.
template <int kN, int kBus>
std::unique_ptr<DevicePort> make_sized_control_device(DeviceMemory& memory,
                                                      const MemoryBehaviour& behaviour,
                                                      const HarnessOptions& options);

}  // namespace systole::sim
