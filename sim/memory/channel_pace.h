#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/memory/memory_behaviour.h"
#include "systole/cosim/random.h"

namespace systole::sim {

/// Decides when the five channels of an AXI4 memory move: random stalls, and a limit of bytes a
/// clock.
///
/// Timing   one tick a clock, before any query about that clock
class ChannelPace {
 public:
  enum Channel { kReadRequest, kRead, kWriteRequest, kWrite, kResponse };

  ChannelPace(int bus_bytes, const MemoryBehaviour& behaviour)
      : bus_bytes_(bus_bytes),
        bytes_per_cycle_(behaviour.bytes_per_cycle),
        stalls_(behaviour.stalls),
        random_(behaviour.seed) {
    const MemoryStalls& s = stalls_;
    has_stalls_ = (s.read_request | s.read | s.write_request | s.write | s.response) != 0;
    throttled_ = bytes_per_cycle_ != 0 && bytes_per_cycle_ < bus_bytes_;
  }

  void tick() {
    if (has_stalls_) draw_stalls();
    if (!throttled_) return;
    const int most = bus_bytes_ + bytes_per_cycle_ - 1;
    read_budget_ = std::min(read_budget_ + bytes_per_cycle_, most);
    write_budget_ = std::min(write_budget_ + bytes_per_cycle_, most);
  }

  bool stalled(Channel channel) const { return stall_ >> channel & 1; }

  bool may_read() const { return !stalled(kRead) && (!throttled_ || read_budget_ >= bus_bytes_); }
  bool may_write() const {
    return !stalled(kWrite) && (!throttled_ || write_budget_ >= bus_bytes_);
  }
  void count_read() { read_budget_ -= throttled_ ? bus_bytes_ : 0; }
  void count_write() { write_budget_ -= throttled_ ? bus_bytes_ : 0; }

  /// A random 0 or 1.
  int coin() { return static_cast<int>(random_.bits() >> 63); }

 private:
  void draw_stalls() {
    const std::uint64_t bits = random_.bits();
    const auto hit = [&](Channel channel, std::uint8_t often) {
      return static_cast<unsigned>((bits >> (8 * channel) & 0xff) < often) << channel;
    };
    stall_ = hit(kReadRequest, stalls_.read_request) | hit(kRead, stalls_.read) |
             hit(kWriteRequest, stalls_.write_request) | hit(kWrite, stalls_.write) |
             hit(kResponse, stalls_.response);
  }

  int bus_bytes_;
  int bytes_per_cycle_;
  MemoryStalls stalls_;
  bool has_stalls_;
  bool throttled_;
  cosim::Random random_;
  unsigned stall_ = 0;
  int read_budget_ = 0;  // bytes that may move, where bytes_per_cycle is less than the bus
  int write_budget_ = 0;
};

}  // namespace systole::sim
