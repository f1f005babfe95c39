// What a build without traced RTL has in place of traced_devices.cpp.
#include <stdexcept>

#include "sim/verilator/traced_devices.h"

namespace systole::sim {

std::span<const int> traced_device_sizes() { return {}; }

std::unique_ptr<DevicePort> make_traced_device(int, DeviceMemory&, TraceWindow,
                                               const MemoryBehaviour&, const HarnessOptions&) {
  throw std::invalid_argument("this build has no traced RTL");
}

}  // namespace systole::sim
