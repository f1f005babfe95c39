#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <cstdint>
#include <optional>
#include <systemc>

#include "sim/memory/channel_pace.h"
#include "sim/memory/ring.h"
#include "sim/systemc/bundles.h"
#include "sim/systemc/failure.h"

namespace systole::sim {

/// The subordinate on the device's AXI4 port; each burst becomes one TLM transaction.
///
/// Shapes   a read burst is a TLM read of its bytes once AR is accepted; a write burst is a TLM
///          write once its last beat is accepted, with byte enables 0xff where the strobe is set
/// Timing   the target annotates its delay and does not wait: data is shown, or the write answered,
///          that many clocks later, at least one. Then a beat a clock, less stalls and the limit of
///          bytes_per_cycle.
/// Numbers  order and clocks are those of AxiMemory with the same behaviour
/// Errors   any response except TLM_OK_RESPONSE is an error in every beat of R, or in B
class AxiToTlm : public sc_core::sc_module {
 public:
  static constexpr int kMostBeats = 16;
  static constexpr int kMostBursts = 256;

  sc_core::sc_in<bool> clk{"clk"};
  sc_core::sc_in<AxiFromDevice> from{"from"};
  sc_core::sc_out<AxiToDevice> to{"to"};
  tlm_utils::simple_initiator_socket<AxiToTlm> memory{"memory"};

  AxiToTlm(const sc_core::sc_module_name& name, sc_core::sc_time period, Failure& failure);

  /// Drops outstanding requests and restarts at clock 0. Call between two runs of the simulation.
  void restart(int bus_bytes, const MemoryBehaviour& behaviour);

  std::uint64_t clocks() const { return now_; }

 private:
  using Bytes = std::array<std::uint8_t, kMostBeats * kMaxBusBytes>;
  struct ReadBurst {
    std::uint64_t ready_at = 0;
    int beats = 0;
    int shown = 0;
    bool error = false;
    Bytes bytes;  // from the first beat's lane 0 on
  };
  struct WriteBurst {
    std::uint64_t address = 0;
    int beats = 0;
    int taken = 0;
    Bytes bytes;
    Bytes enables;
  };
  struct Response {
    std::uint64_t ready_at = 0;
    bool error = false;
  };

  void clock();
  void take(const AxiFromDevice& in);
  void take_read_request(const MemoryRequest& request);
  void take_write(const MemoryWrite& write);
  void show_next();
  void show_read(MemoryRead& read);
  /// The first clock in which the target's answer may be shown.
  std::uint64_t transport(tlm::tlm_command command, std::uint64_t address, std::uint8_t* bytes,
                          std::uint8_t* enables, int size, bool& error);

  sc_core::sc_time period_;
  Failure& failure_;
  int bus_bytes_ = 4;
  int most_bursts_ = 1;
  bool mix_reads_ = false;
  std::optional<ChannelPace> pace_;

  std::uint64_t now_ = 0;
  AxiToDevice shown_;
  std::array<Ring<ReadBurst, kMostBursts>, kReaders> reads_;  // by id
  Ring<WriteBurst, kMostBursts> writes_;                      // those still waiting for data
  Ring<Response, kMostBursts> responses_;
  int reads_outstanding_ = 0;
  int writes_outstanding_ = 0;
  tlm::tlm_generic_payload payload_;
};

}  // namespace systole::sim
