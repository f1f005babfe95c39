#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sim/memory/axi_signals.h"
#include "sim/memory/ring.h"
#include "sim/monitor/held.h"

namespace systole::sim {

/// Checks both sides of an AXI4 port against the protocol, clock by clock:
///
/// - valid stays high and the payload stable until ready;
/// - a burst has at most 16 beats, crosses no 4 KiB boundary and stays below 2^40;
/// - W brings the beats that AW announced, `last` on the last one, strobes only from the burst's
///   address on;
/// - R answers the requests of its id in order, with as many beats, `last` on the last one;
/// - B comes once for each burst, after its last W.
///
/// Timing   one call a clock, with the signals of that clock
/// Errors   ProtocolError: channel, clock, and what broke
class AxiMonitor {
 public:
  static constexpr int kMostBeats = 16;
  static constexpr int kAddressBits = 40;

  explicit AxiMonitor(int bus_bytes) : bus_bytes_(bus_bytes) {}

  void check(const AxiFromDevice& from, const AxiToDevice& to);

  /// Errors   ProtocolError if a burst still lacks data or an answer
  void finish() const;

 private:
  struct Request {
    std::uint64_t address;
    int beats;
    bool operator==(const Request&) const = default;
  };
  struct TaggedRequest {
    Request request;
    int id;
    bool operator==(const TaggedRequest&) const = default;
  };
  struct WriteBeat {
    MemoryWrite write;
    std::size_t width;
    bool operator==(const WriteBeat& other) const;
  };
  struct ReadBeat {
    MemoryRead read;
    std::size_t width;
    bool operator==(const ReadBeat& other) const;
  };
  // A write burst: the beats seen on W and the request on AW; either may come first.
  struct WriteBurst {
    std::uint64_t address;
    int beats;
    int taken;
  };

  void check_holds(const AxiFromDevice& from, const AxiToDevice& to);
  void check_request(const char* channel, const MemoryRequest& request) const;
  void take_write(const MemoryWrite& write);
  void take_read(const MemoryRead& read);
  [[noreturn]] void fail(const char* channel, std::string_view what) const;

  static constexpr std::size_t kMostBursts = 512;

  int bus_bytes_;
  std::uint64_t clock_ = 0;
  Held<TaggedRequest> ar_{"AR"};
  Held<Request> aw_{"AW"};
  Held<WriteBeat> w_{"W"};
  Held<ReadBeat> r_{"R"};
  Held<bool> b_{"B"};
  std::array<Ring<Request, kMostBursts>, kReaders> reads_;  // by id; beats still to come
  Ring<WriteBurst, kMostBursts> writes_;                    // announced on AW, data still to come
  std::size_t responses_owed_ = 0;
};

}  // namespace systole::sim
