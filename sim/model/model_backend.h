#pragma once

#include "host/device/registry.h"

namespace systole {

/// The device in two parts: the CPU's vector unit computes a program, and the HLS C++ of the
/// device's control, run natively, counts its clocks once on a machine.
///
/// Limits   bf16 and int8; N = 4, 8, 16, 32, 64, 128
/// Numbers  the bits and the counters of `rtl`. There is no RTL for N = 64 and 128 to compare with;
///          both sizes come from the same source
BackendEntry model_backend_entry();

}  // namespace systole
