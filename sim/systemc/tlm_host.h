#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <systemc>

#include "sim/device/device_port.h"
#include "sim/systemc/gated_clock.h"

namespace systole::sim {

/// The host: one thread that does a job at a time, register accesses as TLM-2.0 transactions among
/// them, while whoever gives it the job stands outside of simulated time.
///
/// Timing   between two jobs no clock passes for this bench; it stands right after a rising edge
class TlmHost : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> interrupt{"interrupt"};
  tlm_utils::simple_initiator_socket<TlmHost> registers{"registers"};

  TlmHost(const sc_core::sc_module_name& name, GatedClock& clock);

  // Each runs the simulation until it is done. Errors   DeviceError where a register does not
  // answer
  LiteAnswer read(std::uint16_t offset);
  LiteAnswer write(std::uint16_t offset, std::uint32_t value, int strobe);
  /// Whether the interrupt was raised within so many clocks.
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
