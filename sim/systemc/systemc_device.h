#pragma once

#include <memory>

#include "host/driver/device_memory.h"
#include "sim/device/device_harness.h"
#include "sim/device/device_port.h"
#include "sim/systemc/device_model.h"

namespace systole::sim {

/// The accelerator in a SystemC bench, its memory and registers behind TLM-2.0 sockets: the RTL in
/// Verilator and beside it the native C++, every output compared in every clock.
///
/// Timing   the clocks of a DeviceHarness with the same memory behaviour and options
/// Limits   8 at a time in a process, as SystemC elaborates once; they run in turn, whatever the
///          thread. Memory outlives the device. A burst that memory refuses in part fails as a
///          whole.
/// Errors   std::invalid_argument for a size that model_sizes() does not name and for behaviour out
///          of range; DeviceError while 8 are there. What it runs into comes out of
///          the device's functions: ProtocolError and LockstepError too.
std::unique_ptr<DevicePort> make_systemc_device(int array_size, DeviceMemory& memory,
                                                const MemoryBehaviour& behaviour = {},
                                                const HarnessOptions& options = {});

/// The same with models of the caller's: `first` drives the signals; `second`, unless it is null,
/// must show the same.
std::unique_ptr<DevicePort> make_systemc_device(std::unique_ptr<DeviceModel> first,
                                                std::unique_ptr<DeviceModel> second,
                                                DeviceMemory& memory,
                                                const MemoryBehaviour& behaviour = {},
                                                const HarnessOptions& options = {});

}  // namespace systole::sim
