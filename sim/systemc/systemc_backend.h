#pragma once

#include "host/device/registry.h"

namespace systole {

/// The accelerator in a SystemC bench: registers and memory as TLM-2.0 transactions, the RTL
/// compared with the native C++ and both ports checked against the protocol in every clock.
///
/// Limits   bf16 and int8; N one of SYSTOLE_ARRAYS; 8 devices at a time
/// Numbers  the bits and the counters of `rtl`
/// Timing   one host thread at a time
/// Errors   execute throws DeviceError when the device hangs, ProtocolError and LockstepError
BackendEntry systemc_backend_entry();

}  // namespace systole
