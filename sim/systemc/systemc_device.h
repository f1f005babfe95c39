#pragma once

#include <memory>

#include "host/device/device_memory.h"
#include "sim/device/device_harness.h"
#include "sim/device/device_port.h"
#include "sim/systemc/device_model.h"

namespace systole::sim {

/// The accelerator in a SystemC bench with TLM-2.0 sockets for memory and registers: the RTL in
/// Verilator, its outputs compared with the native C++ in every clock.
///
/// Limits   16 at a time in a process, as SystemC elaborates once; they run in turn, whatever the
///          thread. Memory must outlive the device. A burst that memory refuses in part fails as a
///          whole.
/// Timing   the clocks of a DeviceHarness with the same memory behaviour and options
/// Errors   std::invalid_argument for a size that model_sizes() does not name and for behaviour out
///          of range; DeviceError if 16 exist. The device's functions throw DeviceError,
///          ProtocolError and LockstepError.
std::unique_ptr<DevicePort> make_systemc_device(int array_size, DeviceMemory& memory,
                                                const MemoryBehaviour& behaviour = {},
                                                const HarnessOptions& options = {});

/// The same with the caller's models: `first` drives the signals; `second`, unless null, must show
/// the same.
std::unique_ptr<DevicePort> make_systemc_device(std::unique_ptr<DeviceModel> first,
                                                std::unique_ptr<DeviceModel> second,
                                                DeviceMemory& memory,
                                                const MemoryBehaviour& behaviour = {},
                                                const HarnessOptions& options = {});

/// Throws std::invalid_argument for a memory whose bus the devices do not have.
void need_systemc_bus(int array_size, const MemoryBehaviour& behaviour);

}  // namespace systole::sim
