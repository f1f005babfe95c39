#pragma once

#include <array>
#include <cstdint>

#include "host/driver/device_memory.h"
#include "sim/memory/axi_signals.h"
#include "sim/memory/channel_pace.h"
#include "sim/memory/memory_behaviour.h"
#include "sim/memory/ring.h"

namespace systole::sim {

/// The memory of a simulated device on AXI4, clock by clock.
///
/// Shapes   beats of bus_bytes, a power of two up to kMaxBusBytes; `memory` holds the bytes
/// Timing   its signals are registers: what it shows in a clock follows from the clocks before.
///          With the default behaviour, one beat a clock in each direction once latency is paid.
///          A beat is read from memory when it is first shown, and written when it is taken; data
///          is taken from the clock after its request was.
/// Numbers  reads with one id are answered in order, all others in the order of their requests
///          unless mixed; bytes of a first beat before the burst's address read as 0xa5
/// Errors   a beat that reads, or a strobe that writes, outside every block of `memory` is answered
///          with an error; std::invalid_argument for behaviour out of range
class AxiMemory {
 public:
  static constexpr int kMaxBursts = 256;

  /// What beats carry: everything, or commands alone, for a device that keeps time and has no data
  /// path. Then memory is never written, and a write that leaves every block is not found out.
  enum class Carries { kAll, kCommands };

  AxiMemory(DeviceMemory& memory, int bus_bytes, MemoryBehaviour behaviour = {},
            Carries carries = Carries::kAll);

  /// One rising edge. `to` is what the memory has shown in the clock that ends, from reset on all
  /// zeros, and becomes what it shows in the next.
  void tick(const AxiFromDevice& from, AxiToDevice& to);

  void reset();  ///< forgets what is outstanding; memory keeps its bytes

  bool idle() const { return reads_outstanding_ == 0 && writes_outstanding_ == 0; }
  const MemoryBehaviour& behaviour() const { return behaviour_; }
  std::uint64_t clocks() const { return now_; }

 private:
  struct Burst {
    std::uint64_t address;  // of the next beat; only the first may be unaligned
    std::byte* bytes;       // where the next beat lies, aligned; null where it must be looked up
    std::uint64_t ready_at;
    int beats;
    bool error;
  };
  struct Response {
    std::uint64_t ready_at;
    bool error;
  };

  Burst start(const MemoryRequest& request, bool is_read, int nth, int& count) const;
  bool in_error_range(std::uint64_t first, std::uint64_t last, bool is_read) const;
  void take_write(const MemoryWrite& write);
  bool write_bytes(const Burst& burst, const MemoryWrite& write) const;
  void show_read(MemoryRead& read);
  bool read_bytes(const Burst& burst, MemoryRead& read) const;
  void advance(Burst& burst) const;
  int next_reader();

  DeviceMemory& memory_;
  int bus_bytes_;
  MemoryBehaviour behaviour_;
  Carries carries_;
  ChannelPace pace_;

  std::uint64_t now_ = 0;

  std::array<Ring<Burst, kMaxBursts>, 2> reads_;  // by id
  Ring<Burst, kMaxBursts> writes_;                // whose data is still owed
  Ring<Response, kMaxBursts> responses_;
  int reads_outstanding_ = 0;
  int writes_outstanding_ = 0;
  int read_count_ = 0;
  int write_count_ = 0;
};

}  // namespace systole::sim
