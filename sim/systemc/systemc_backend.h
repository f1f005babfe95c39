#pragma once

#include "host/driver/registry.h"

namespace systole {

/// The accelerator in a SystemC bench: registers and memory as TLM-2.0 transactions, the RTL and
/// the native C++ compared in every clock, both ports held to the protocol.
///
/// Limits   bf16 and int8; N is what this build has Verilated (SYSTOLE_ARRAYS); 8 devices at a time
/// Numbers  the bits and the counters of `rtl`
/// Timing   one host thread at a time
/// Errors   execute throws DeviceError when the device hangs, ProtocolError and LockstepError
BackendEntry systemc_backend_entry();

}  // namespace systole
