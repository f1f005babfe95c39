#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/memory/axi_signals.h"
#include "tests/support/random.h"

namespace systole::tests {

/// An AXI4 manager that plays the given bursts by the protocol and records the answers.
class BusMaster {
 public:
  struct Read {
    std::uint64_t address = 0;
    int beats = 1;
    int id = 0;
    std::uint64_t asked_at = 0;         // the clock in which AR was taken
    std::uint64_t first_beat_at = 0;    // the clock in which the first beat was taken
    std::vector<std::uint8_t> bytes{};  // of whole beats
    int errors = 0;                     // beats with an error
  };
  struct Write {
    std::uint64_t address = 0;
    std::vector<std::uint8_t> bytes{};  // from the address on
    bool error = false;
    std::uint64_t last_beat_at = 0;
    std::uint64_t answered_at = 0;
  };

  explicit BusMaster(int bus_bytes) : bus_bytes_(bus_bytes) {}

  void read(std::uint64_t address, int beats, int id) {
    reads.push_back({.address = address, .beats = beats, .id = id});
  }
  void write(std::uint64_t address, std::vector<std::uint8_t> bytes) {
    writes.push_back({.address = address, .bytes = std::move(bytes)});
  }

  /// Signals for the next clock; it takes answers in `ready` of 256 clocks.
  void show(sim::AxiFromDevice& from, Random& random, unsigned ready = 256);
  /// The edge that ends a clock with these signals.
  void tick(const sim::AxiFromDevice& from, const sim::AxiToDevice& to);

  bool done() const { return reads_done_ == reads.size() && responses_done_ == writes.size(); }

  std::vector<Read> reads;    // in the order of their requests
  std::vector<Write> writes;  // the same

 private:
  std::size_t beats_of(const Write& write) const {
    const std::size_t before = write.address % static_cast<std::uint64_t>(bus_bytes_);
    return (before + write.bytes.size() + static_cast<std::size_t>(bus_bytes_) - 1) /
           static_cast<std::size_t>(bus_bytes_);
  }

  int bus_bytes_;
  std::uint64_t clock_ = 0;
  std::size_t reads_asked_ = 0, reads_done_ = 0;
  std::size_t writes_asked_ = 0, writes_sent_ = 0, responses_done_ = 0;
  std::size_t beat_ = 0;  // of the write under way
  std::deque<std::size_t> open_[2];
};

}  // namespace systole::tests
