#pragma once

#include "host/driver/registry.h"

namespace systole {

/// The device in two parts: the interpreter computes a program at the speed of the CPU's vector
/// unit, and the HLS C++ of the device's control, run natively, counts its clocks when it first
/// runs.
///
/// Limits   bf16 and int8; N = 4, 8, 16, 32, 64, 128
/// Numbers  the bits and the counters of `rtl`; those of 64 and 128 stand on the same source, and
///          no RTL of that size is run beside them
BackendEntry model_backend_entry();

}  // namespace systole
