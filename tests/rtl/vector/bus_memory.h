#pragma once

#include <cstdint>
#include <deque>
#include <stdexcept>
#include <vector>

#include "hls/kernels/engine.h"
#include "tests/support/random.h"

namespace systole::tests {

/// Memory on an AXI4 bus of kN bytes, with random stalls, which throws std::logic_error where a
/// master breaks the bus' rules or leaves the memory.
///
/// Limits   one clock is ready(), beat() and answers(), then observe_read() and observe_write()
///          with what the master showed, then tick()
template <int kN>
class BusMemory {
 public:
  static constexpr std::uint64_t kBase = 0x98'7654'0000;
  static constexpr std::size_t kBytes = 0x8'0000;

  struct Options {
    std::uint32_t chance_of_16 = 16;  ///< that the bus moves in a clock
    std::uint64_t latency = 8;        ///< clocks from a request to its first beat or its answer
    std::uint64_t error_at = ~std::uint64_t{0};  ///< the beat read, or burst written, that fails
  };

  BusMemory(std::uint64_t seed, Options options) : bytes(kBytes), random_(seed), options_(options) {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random_.bits());
  }

  std::vector<std::uint8_t> bytes;
  std::uint64_t bursts = 0;
  void fail_at(std::uint64_t place) { options_.error_at = place; }
  std::uint8_t& at(std::uint64_t address) {
    if (address < kBase || address >= kBase + kBytes) throw std::logic_error("not in memory");
    return bytes[address - kBase];
  }
  bool owes() const { return !beats_.empty() || !answers_.empty() || !writes_.empty(); }

  hls::UInt1 ready() { return hls::as_bit(random_.below(16) < options_.chance_of_16); }

  hls::Beat<kernels::ReadBeat<kN>> beat() {
    hls::Beat<kernels::ReadBeat<kN>> result{};
    if (beats_.empty() || beats_.front().clock > clock_ || !ready()) return result;
    const Owed& owed = beats_.front();
    result.valid = hls::UInt1(1);
    for (int n = 0; n < kN; ++n) result.data.data[n] = hls::UInt8::from(at(owed.address + n));
    result.data.error = hls::as_bit(read_ == options_.error_at);
    result.data.last = hls::as_bit(owed.last);
    return result;
  }

  void observe_read(const hls::Beat<kernels::Burst>& burst, const hls::UInt1& ready,
                    const hls::UInt1& beat_taken) {
    if (beat_taken) {
      beats_.pop_front();
      ++read_;
    }
    if (burst.valid && ready) {
      const std::uint64_t first = check(burst.data);
      for (unsigned i = 0; i <= burst.data.beats_less_one.value(); ++i) {
        beats_.push_back({.address = first + i * kN,
                          .clock = clock_ + options_.latency,
                          .last = i == burst.data.beats_less_one.value()});
      }
    }
  }

  void tick() { ++clock_; }

  /// Whether a write burst is answered now, and with an error.
  hls::UInt1 answers() { return hls::as_bit(!answers_.empty() && answers_.front() <= clock_); }
  hls::UInt1 answers_error() const { return hls::as_bit(answered_ == options_.error_at); }

  void observe_write(const hls::Beat<kernels::Burst>& burst, const hls::UInt1& burst_ready,
                     const hls::Beat<kernels::WriteBeat<kN>>& beat, const hls::UInt1& beat_ready) {
    if (answers()) {
      answers_.pop_front();
      ++answered_;
    }
    if (beat.valid && beat_ready) write(beat.data);
    if (burst.valid && burst_ready) {
      const std::uint64_t first = check(burst.data);
      for (unsigned i = 0; i <= burst.data.beats_less_one.value(); ++i) {
        writes_.push_back({.address = first + i * kN,
                           .clock = 0,
                           .last = i == burst.data.beats_less_one.value()});
      }
    }
  }

 private:
  struct Owed {
    std::uint64_t address;
    std::uint64_t clock;
    bool last;
  };

  /// The address of the burst's first beat.
  std::uint64_t check(const kernels::Burst& burst) {
    const std::uint64_t first = burst.address.value() / kN * kN;
    const std::uint64_t last = first + burst.beats_less_one.value() * kN;
    if (burst.beats_less_one.value() >= kernels::kBurstBeats) throw std::logic_error("too long");
    if (first / 4096 != last / 4096) throw std::logic_error("a burst crosses 4 KiB");
    ++bursts;
    return first;
  }

  void write(const kernels::WriteBeat<kN>& beat) {
    if (writes_.empty()) throw std::logic_error("a beat without a burst");
    const Owed owed = writes_.front();
    writes_.pop_front();
    if (owed.last != static_cast<bool>(beat.last)) throw std::logic_error("a burst's last beat");
    for (int n = 0; n < kN; ++n) {
      if ((beat.strobe.value() >> n & 1) != 0) {
        at(owed.address + n) = static_cast<std::uint8_t>(beat.data[n].value());
      }
    }
    if (owed.last) answers_.push_back(clock_ + options_.latency);
  }

  Random random_;
  Options options_;
  std::uint64_t clock_ = 0;
  std::uint64_t read_ = 0;
  std::uint64_t answered_ = 0;
  std::deque<Owed> beats_;
  std::deque<Owed> writes_;
  std::deque<std::uint64_t> answers_;
};

}  // namespace systole::tests
