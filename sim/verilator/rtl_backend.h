#pragma once

#include "host/device/registry.h"

namespace systole {

/// The backend `rtl`: the accelerator that hlsc generated, with its memory, simulated clock by
/// clock by Verilator.
///
/// Limits   bf16 and int8; N is one of SYSTOLE_ARRAYS
/// Numbers  the bits and the counters of `model`, here observed rather than computed
/// Timing   one host thread
/// Errors   a program throws DeviceError with the registers' contents when the device hangs
BackendEntry rtl_backend_entry();

}  // namespace systole
