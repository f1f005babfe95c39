#pragma once

#include "host/device/registry.h"
#include "host/pjrt/client.h"

namespace systole {

/// The backend `pjrt:PATH`: another vendor's device, such as a GPU, through its PJRT plugin.
///
/// Limits   runs whole training steps, compiled by the plugin from StableHLO; no single products
///          and no programs of ours
/// Numbers  the plugin's own, close to ours (print_portable of host/graph/text.h)
/// Timing   seconds are measured on the device itself; it has no clocks to count
/// Errors   as pjrt::Client::open
/// Source   docs/pjrt.md
BackendEntry pjrt_backend_entry();

/// The plugin's client of such a device; null for others.
const pjrt::Client* pjrt_client(const Device& device);

}  // namespace systole
