#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/memory/memory_behaviour.h"
#include "sim/memory/ring.h"

namespace systole::timing {

/// A clock of a program; 0 is the first in which the device sees the doorbell.
using Clock = std::int64_t;

/// What the device shows on AXI4 in a clock, as far as time goes.
struct BusFromDevice {
  bool read_ready = false;
  bool request = false;  ///< AR
  bool request_loads = false;
  int request_beats = 0;
  bool write_request = false;  ///< AW
  int write_beats = 0;
  bool write = false;  ///< W
};

/// AxiMemory (sim/memory/axi_memory.h) without bytes, errors and stalls: when its channels move.
///
/// Timing   as there, clock by clock; fields are what it shows in the clock that runs
class TimingBus {
 public:
  TimingBus(int bus_bytes, const sim::MemoryBehaviour& behaviour)
      : latency_(behaviour.latency),
        write_latency_(behaviour.write_latency),
        bursts_(behaviour.bursts),
        bus_bytes_(bus_bytes),
        bytes_per_cycle_(behaviour.bytes_per_cycle),
        throttled_(behaviour.bytes_per_cycle != 0 && behaviour.bytes_per_cycle < bus_bytes) {
    // The device has been idle for a while.
    rest();
  }

  bool read_valid = false;
  bool read_loads = false;
  bool read_last = false;
  bool read_request_ready = true;
  bool write_request_ready = true;
  bool write_ready = false;
  bool response = false;

  bool moving() const { return reads_outstanding_ + writes_outstanding_ != 0; }

  /// Clocks in which nothing is asked for and nothing moves.
  void rest(Clock clocks = kLong) {
    if (!throttled_) return;
    const Clock most = bus_bytes_ + bytes_per_cycle_ - 1;
    const Clock more = std::min(clocks, kLong) * bytes_per_cycle_;
    read_budget_ = static_cast<int>(std::min(read_budget_ + more, most));
    write_budget_ = static_cast<int>(std::min(write_budget_ + more, most));
  }

  void tick(Clock now, const BusFromDevice& from) {
    if (read_valid && from.read_ready) {
      if (read_last) --reads_outstanding_;
      read_valid = false;
    }
    if (response) {
      --writes_outstanding_;
      response = false;
    }
    if (from.write && write_ready) take_write(now);
    if (from.request && read_request_ready) {
      reads_[from.request_loads].push({now + latency_, from.request_beats});
      ++reads_outstanding_;
    }
    if (from.write_request && write_request_ready) {
      writes_.push(from.write_beats);
      ++writes_outstanding_;
    }
    show(now + 1);
  }

 private:
  struct Burst {
    Clock ready_at;
    int beats;
  };
  static constexpr std::size_t kMostBursts = 256;
  static constexpr Clock kLong = 1'000'000;

  Clock latency_, write_latency_;
  int bursts_;
  int bus_bytes_, bytes_per_cycle_;
  bool throttled_;
  int read_budget_ = 0, write_budget_ = 0;
  sim::Ring<Burst, kMostBursts> reads_[2];
  sim::Ring<int, kMostBursts> writes_;
  sim::Ring<Clock, kMostBursts> responses_;
  int reads_outstanding_ = 0;
  int writes_outstanding_ = 0;

  void take_write(Clock now) {
    if (throttled_) write_budget_ -= bus_bytes_;
    if (--writes_.front() != 0) return;
    responses_.push(now + write_latency_);
    writes_.pop();
  }

  void show(Clock now) {
    if (throttled_) {
      const int most = bus_bytes_ + bytes_per_cycle_ - 1;
      read_budget_ = std::min(read_budget_ + bytes_per_cycle_, most);
      write_budget_ = std::min(write_budget_ + bytes_per_cycle_, most);
    }
    read_request_ready = reads_outstanding_ < bursts_;
    write_request_ready = writes_outstanding_ < bursts_;
    write_ready = !writes_.empty() && (!throttled_ || write_budget_ >= bus_bytes_);
    if (!read_valid && reads_outstanding_ != 0) show_read(now);
    if (!responses_.empty() && responses_.front() <= now) {
      response = true;
      responses_.pop();
    }
  }

  void show_read(Clock now) {
    if (throttled_ && read_budget_ < bus_bytes_) return;
    const bool fetched = !reads_[0].empty() && reads_[0].front().ready_at <= now;
    const bool loaded = !reads_[1].empty() && reads_[1].front().ready_at <= now;
    if (!fetched && !loaded) return;
    read_loads = loaded && !(fetched && reads_[0].front().ready_at < reads_[1].front().ready_at);
    Burst& burst = reads_[read_loads].front();
    read_valid = true;
    read_last = burst.beats == 1;
    if (throttled_) read_budget_ -= bus_bytes_;
    if (--burst.beats == 0) reads_[read_loads].pop();
  }
};

}  // namespace systole::timing
