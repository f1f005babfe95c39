#pragma once

#include "host/driver/registry.h"

namespace systole {

/// The simulated device without its clocks being simulated: the HLS C++ arithmetic at the speed of
/// the CPU's vector unit, and the device's cycles from the closed recurrence.
///
/// Limits   bf16 and int8; N = 4, 8, 16, 32, 64, 128
/// Numbers  the bits and the counters of `rtl`, whatever the number of threads
BackendEntry model_backend_entry();

}  // namespace systole
