#pragma once

#include "host/driver/registry.h"

namespace systole {

/// The RTL that hlsc made of the matrix unit, simulated by Verilator clock by clock.
///
/// Limits   bf16 and int8; N is what this build has Verilated (SYSTOLE_ARRAYS)
/// Numbers  the bits and the counters of `model`; here both are observed, not computed
/// Timing   one host thread
/// Errors   execute throws DeviceError when the unit hangs or answers what was not asked
BackendEntry rtl_backend_entry();

}  // namespace systole
