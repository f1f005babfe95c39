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
/// Or the thread is lent to a whole host, whose accesses are then made in simulated time, beside
/// those of other benches.
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

  /// Starts the clock and calls `host` when the simulation runs next. It may call the above, and
  /// catches what they throw. The clock goes on after it, until stop_clock.
  void lend(std::function<void()> host);
  void stop_clock() { clock_.stop(); }
  /// Ends what a host that has the thread is at with GivenUp.
  void give_up();
  class GivenUp : public std::exception {};

 private:
  void serve();
  void start(std::function<void()> job);
  void perform(std::function<void()> job);
  LiteAnswer transport(tlm::tlm_generic_payload& payload);
  void wait_clocks(std::uint64_t clocks, bool until_interrupt);

  GatedClock& clock_;
  sc_core::sc_event asked_{"asked"}, given_up_{"given_up"};
  std::function<void()> job_;
  bool is_lent_ = false, gives_up_ = false;
  std::exception_ptr error_;
};

}  // namespace systole::sim
