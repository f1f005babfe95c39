#pragma once

#include <array>
#include <cstdint>

#include "host/device/device_memory.h"
#include "sim/memory/axi_signals.h"
#include "sim/memory/channel_pace.h"
#include "sim/memory/memory_behaviour.h"
#include "sim/memory/ring.h"

namespace systole::sim {

/// The memory of a simulated device on AXI4, clock by clock.
///
/// Shapes   beats of bus_bytes, a power of two up to kMaxBusBytes; `memory` holds the bytes
/// Timing   its outputs are registers and depend on earlier clocks only. With the default
///          behaviour, one beat a clock in each direction after the latency. A beat is read from
///          memory when first shown, and written when taken; write data is accepted from the clock
///          after its request.
/// Numbers  reads of one id are answered in order, and all others too unless mixed; bytes of a
///          first beat before the burst's address read as 0xa5
/// Errors   a beat that reads, or a strobe that writes, outside every block of `memory` is answered
///          with an error; std::invalid_argument for behaviour out of range
class AxiMemory {
 public:
  static constexpr int kMaxBursts = 256;

  /// What beats carry: all data, or only what is not a load's, for a device without a data path.
  /// Then memory is never written and a write outside every block goes unnoticed.
  enum class Carries { kAll, kPrograms };

  AxiMemory(DeviceMemory& memory, int bus_bytes, MemoryBehaviour behaviour = {},
            Carries carries = Carries::kAll);

  /// One rising edge. `to` holds the memory's outputs of the clock that ends, all zeros after
  /// reset, and receives those of the next.
  void tick(const AxiFromDevice& from, AxiToDevice& to);

  void reset();  ///< drops outstanding requests; memory keeps its bytes

  bool idle() const { return reads_outstanding_ == 0 && writes_outstanding_ == 0; }
  const MemoryBehaviour& behaviour() const { return behaviour_; }
  std::uint64_t clocks() const { return now_; }

 private:
  struct Burst {
    std::uint64_t address;  // of the next beat; only the first may be unaligned
    std::byte* bytes;       // the next beat's bytes, aligned; null if they must be looked up
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

  DeviceMemory& memory_;
  int bus_bytes_;
  MemoryBehaviour behaviour_;
  Carries carries_;
  ChannelPace pace_;

  std::uint64_t now_ = 0;

  std::array<Ring<Burst, kMaxBursts>, kReaders> reads_;  // by id
  Ring<Burst, kMaxBursts> writes_;                       // those still waiting for data
  Ring<Response, kMaxBursts> responses_;
  int reads_outstanding_ = 0;
  int writes_outstanding_ = 0;
  int read_count_ = 0;
  int write_count_ = 0;
};

}  // namespace systole::sim
