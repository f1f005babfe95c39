#pragma once

#include "host/device/registry.h"

namespace systole {

/// This machine's processor through Eigen: the baseline for comparisons.
///
/// Limits   takes every DataType; has no array and no clock, so its counters hold only products and
///          macs
/// Numbers  fp32: Eigen's order of sums. bf16: operands widened to fp32, which is exact, then
///          multiplied as fp32, so bits differ from the device's within the tolerance of
///          docs/numerics.md. int8: exact int32 (accumulating wraps modulo 2^32).
BackendEntry cpu_backend_entry();

}  // namespace systole
