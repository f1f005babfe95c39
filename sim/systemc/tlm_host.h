#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <systemc>

#include "sim/device/device_port.h"
#include "sim/systemc/gated_clock.h"

namespace systole::sim {

/// The host: one simulated thread that does one job at a time, such as a register access by
/// TLM-2.0, for a caller outside of simulated time.
///
/// Timing   between two jobs no clock passes for this bench; it stands right after a rising edge
class TlmHost : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> interrupt{"interrupt"};
  tlm_utils::simple_initiator_socket<TlmHost> registers{"registers"};

  TlmHost(const sc_core::sc_module_name& name, GatedClock& clock);

  /// Each runs the simulation until it is done.
  ///
  /// Errors   DeviceError if a register does not answer
  LiteAnswer read(std::uint16_t offset);
  LiteAnswer write(std::uint16_t offset, std::uint32_t value, int strobe);
  /// Whether the interrupt was raised within this many clocks.
  bool wait_for_interrupt(std::uint64_t clocks);
  void run(std::uint64_t clocks);

 private:
  void serve();
  void perform(std::function<void()> job);
  LiteAnswer transport(tlm::tlm_generic_payload& payload);
  void wait_clocks(std::uint64_t clocks, bool until_interrupt);

  GatedClock& clock_;
  sc_core::sc_event asked_{"asked"};
  std::function<void()> job_;
  std::exception_ptr error_;
};

}  // namespace systole::sim
