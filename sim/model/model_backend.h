#pragma once

#include "host/driver/registry.h"

namespace systole {

/// The device as its HLS C++ runs natively. A program is simulated clock by clock the first time
/// that it runs; after that the interpreter computes it at the speed of the CPU's vector unit, and
/// its clocks are known.
///
/// Limits   bf16 and int8; N = 4, 8, 16, 32
/// Numbers  the bits and the counters of `rtl`
BackendEntry model_backend_entry();

}  // namespace systole
