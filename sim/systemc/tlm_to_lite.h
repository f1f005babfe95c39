#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <systemc>

#include "sim/systemc/bundles.h"
#include "systole/cosim/random.h"

namespace systole::sim {

/// A TLM-2.0 target that reads and writes the device's registers as a manager on AXI4-Lite.
///
/// Shapes   4 bytes, at any address of the bus, 0 .. 0xfff; byte enables on writes become the
///          strobe
/// Timing   blocks its caller, a thread, until the device has answered; one access at a time.
///          Signals change right after a rising edge; with a seed, each rises after 0 to 4 clocks.
/// Errors   TLM_GENERIC_ERROR_RESPONSE if the device answers SLVERR;
///          TLM_BURST_ERROR_RESPONSE for another size, TLM_ADDRESS_ERROR_RESPONSE above the bus,
///          TLM_BYTE_ENABLE_ERROR_RESPONSE for a read with byte enables;
///          TLM_INCOMPLETE_RESPONSE if the device does not answer in 1000 clocks
class TlmToLite : public sc_core::sc_module {
 public:
  static constexpr int kLongest = 1000;

  sc_core::sc_in<bool> clk{"clk"};
  sc_core::sc_in<LiteFromDevice> from{"from"};
  sc_core::sc_out<LiteToDevice> to{"to"};
  tlm_utils::simple_target_socket<TlmToLite> port{"port"};

  explicit TlmToLite(const sc_core::sc_module_name& name);

  /// Restarts. Call between two runs of the simulation. Seed 0 raises every signal at once.
  void restart(std::uint64_t seed);

 private:
  /// A valid or ready signal: it rises after a gap and stays high until its transfer.
  struct Signal {
    int gap;
    bool done = false;
    bool next() { return !done && gap-- <= 0; }
  };
  struct Answer {
    tlm::tlm_response_status status;
    std::uint32_t data = 0;
  };

  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  Answer access(const tlm::tlm_generic_payload& payload);
  Answer read(std::uint16_t address);
  Answer write(std::uint16_t address, std::uint32_t data, std::uint8_t strobe);
  void tick();
  int gap();

  std::uint64_t seed_ = 0;
  cosim::Random random_{0};
  LiteToDevice shown_;
};

}  // namespace systole::sim
