#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <systemc>

#include "host/device/device_memory.h"
#include "sim/memory/memory_behaviour.h"

namespace systole::sim {

/// Device memory as a TLM-2.0 target.
///
/// Shapes   reads and writes of any size and alignment, byte enables on both
/// Timing   loosely timed: latency or write_latency clocks are added to the delay; it never waits
/// Errors   TLM_ADDRESS_ERROR_RESPONSE if an enabled byte lies in no block; nothing is then moved.
///          TLM_GENERIC_ERROR_RESPONSE in the error ranges, and for every n-th read or write, of
///          `behaviour`. TLM_BURST_ERROR_RESPONSE for streaming accesses
class TlmMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<TlmMemory> port{"port"};

  TlmMemory(const sc_core::sc_module_name& name, sc_core::sc_time period);

  /// Uses this memory from now on; it must outlive its use. Call between two runs of the
  /// simulation.
  void restart(DeviceMemory& memory, const MemoryBehaviour& behaviour);

  std::uint64_t reads() const { return reads_; }
  std::uint64_t writes() const { return writes_; }

 private:
  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  tlm::tlm_response_status move(tlm::tlm_generic_payload& payload);
  bool must_fail(std::uint64_t first, std::uint64_t size, bool is_read) const;

  sc_core::sc_time period_;
  DeviceMemory* memory_ = nullptr;
  MemoryBehaviour behaviour_;
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
};

}  // namespace systole::sim
