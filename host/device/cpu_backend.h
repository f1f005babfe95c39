#pragma once

#include "host/device/registry.h"

namespace systole {

/// This machine's processor, the baseline for comparisons: graphs run on it (graph::CpuProgram).
///
/// Limits   takes every DataType; runs no programs of the device, and counts nothing
BackendEntry cpu_backend_entry();

}  // namespace systole
