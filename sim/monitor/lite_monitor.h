#pragma once

#include <cstdint>

#include "sim/memory/axi_signals.h"
#include "sim/monitor/held.h"

namespace systole::sim {

/// Checks both sides of the AXI4-Lite port against the protocol, clock by clock: valid stays high
/// and the payload stable until ready; a write is answered once, after its address and data were
/// taken, and a read once, after its address; answers are OKAY or SLVERR.
///
/// Timing   one call a clock, with the signals of that clock
/// Errors   ProtocolError: channel, clock, and what broke
class LiteMonitor {
 public:
  void check(const LiteFromDevice& from, const LiteToDevice& to);

 private:
  struct Write {
    std::uint32_t data;
    int strobe;
    bool operator==(const Write&) const = default;
  };
  struct ReadData {
    std::uint32_t data;
    int response;
    bool operator==(const ReadData&) const = default;
  };
  [[noreturn]] void fail(const char* channel, const char* what) const;

  std::uint64_t clock_ = 0;
  Held<int> aw_{"register AW"};
  Held<Write> w_{"register W"};
  Held<int> b_{"register B"};
  Held<int> ar_{"register AR"};
  Held<ReadData> r_{"register R"};
  int addresses_ = 0;  // unanswered writes whose address was taken
  int data_ = 0;       // unanswered writes whose data was taken
  int reads_ = 0;
};

}  // namespace systole::sim
