#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "hls/kernels/store_engine.h"
#include "hls/reference/store.h"
#include "host/device/device_map.h"
#include "tests/support/random.h"

namespace systole::tests {

/// A store with its shape and scale.
struct StoreTask {
  device::StoreShape shape;
  device::StoreScale scale;
  device::Store store;
  device::Tokens tokens;
};

/// The behaviour of the store engine's surroundings. Chances are out of 16 clocks.
struct StoreWorldOptions {
  int burst_ready = 16;
  int write_ready = 16;
  int response = 16;
  int command = 16;
  int token = 16;
  int latency = 8;                                ///< from a burst's last beat to its answer
  std::uint64_t error_burst = ~std::uint64_t{0};  ///< is answered with an error
};

/// The surroundings of a store engine: commands, tokens, accumulators, masks and a memory, all of
/// which keep their contracts, and the results that the oracle expects. A breach of the engine's
/// contract throws std::logic_error.
template <int kN, int kBus = kN>
class StoreWorld {
 public:
  using Engine = kernels::StoreEngine<kN, true, kBus>;
  using Inputs = typename Engine::Inputs;
  using Outputs = typename Engine::Outputs;
  using Memory = std::map<std::uint64_t, std::uint8_t>;

  StoreWorld(std::uint64_t seed, StoreWorldOptions options) : random_(seed), options_(options) {
    for (auto& row : sums_) {
      for (auto& sum : row) sum = any_sum();
    }
    for (auto& mask : masks_) mask = random_.bits() & ((std::uint64_t{1} << kN) - 1);
    random_states_.fill(1);
    windows_[0] = {.base = kernels::Address(0), .end = ~kernels::Address(0), .open = hls::UInt1(1)};
    for (int i = 1; i < kernels::kWindowCount; ++i) windows_[i].open = hls::UInt1(0);
  }

  /// Appends a store, and the shape or scale that it needs; the oracle runs it at once.
  void add(const StoreTask& task) {
    push(device::encode(task.shape));
    if (task.store.format != device::StoreFormat::kWord32 || task.scale.seed != 0) {
      push(device::encode(task.scale));
      if (task.scale.seed != 0) reference::seed_lanes(task.scale.seed, random_states_);
    }
    push(device::encode(task.store, task.tokens));
    expect(task);
  }

  void set_windows(const kernels::Windows& windows) { windows_ = windows; }
  void stop() { stop_ = true; }
  void go_on() { stop_ = false; }

  Inputs inputs() {
    Inputs in;
    if (!offers_command_) offers_command_ = !commands_.empty() && chance(options_.command);
    in.command.valid = hls::as_bit(offers_command_);
    if (offers_command_) in.command.data = commands_.front();
    in.tokens = hls::UInt<3>::from((tokens_[0] > 0 ? 1u : 0u) | (tokens_[1] > 0 ? 2u : 0u));
    in.windows = windows_;
    in.stop = hls::as_bit(stop_);
    in.result_valid = hls::as_bit(arriving_ >= 0);
    for (int n = 0; n < kN; ++n) {
      in.result[n] = hls::UInt32::from(arriving_ >= 0 ? sums_[at(arriving_)][at(n)] : last_sum_);
    }
    in.mask = hls::UInt<kN>::from(masks_[at(mask_row_)]);
    in.burst_ready = hls::as_bit(chance(options_.burst_ready));
    in.write_ready = hls::as_bit(chance(options_.write_ready));
    if (!answers_ && !owed_.empty() && owed_.front() <= clock_)
      answers_ = chance(options_.response);
    in.response_valid = hls::as_bit(answers_);
    in.response_error = hls::as_bit(answers_ && answered_ == options_.error_burst);
    return in;
  }

  /// Takes the engine's outputs in the clock with these inputs.
  void observe(const Inputs& in, const Outputs& out) {
    take_command(in, out);
    take_tokens(out);
    take_burst(in, out);
    take_beat(in, out);
    if (in.response_valid && out.response_ready) {
      owed_.pop_front();
      answers_ = false;
      ++answered_;
    }
    check_given(out);
    read(out);
    if (out.fault.raised) {
      ++faults;
      fault = out.fault;
    }
    ++clock_;
  }

  /// The first byte that differs from the oracle's, or that only one of the two has written.
  std::string difference() const {
    for (const auto& [address, byte] : expected) {
      const auto found = memory.find(address);
      if (found == memory.end()) return "byte " + std::to_string(address) + " was not written";
      if (found->second != byte) return "byte " + std::to_string(address) + " is wrong";
    }
    return memory.size() == expected.size() ? ""
                                            : "more bytes were written than the stores contain";
  }

  /// Drops the expected results of earlier stores, after a stop.
  void restart() {
    memory.clear();
    expected.clear();
    expected_rows_.clear();
    expected_bursts_ = 0;
    rows_read = 0;
    answered_ = 0;
    faults = 0;
    for (int engine = 0; engine < 2; ++engine) {
      tokens_given[engine] = 0;
      tokens_expected[engine] = 0;
      given_after_[engine].clear();
    }
  }

  bool no_beats_owed() const { return open_.empty() && owed_.empty(); }
  bool done() const { return commands_.empty() && !offers_command_; }
  std::uint64_t clocks() const { return clock_; }
  Random& random() { return random_; }

  Memory memory;
  Memory expected;
  int faults = 0;
  kernels::EngineFault fault{};
  std::uint64_t beats = 0;
  std::uint64_t bursts = 0;
  std::uint64_t first_beat = 0;  ///< its clock
  std::uint64_t last_beat = 0;
  std::uint64_t rows_read = 0;
  std::uint64_t tokens_given[2] = {};  ///< to load, to compute
  std::uint64_t tokens_expected[2] = {};

 private:
  struct Offer {
    kernels::Address address;
    hls::UInt8 beats;
  };

  static std::size_t at(auto index) { return static_cast<std::size_t>(index); }
  bool chance(int of_16) { return static_cast<int>(random_.below(16)) < of_16; }
  [[noreturn]] static void refuse(const std::string& what) { throw std::logic_error(what); }

  std::uint32_t any_sum() {
    switch (random_.below(4)) {
      case 0:
        return random_.bits32();
      case 1:
        return static_cast<std::uint32_t>(random_.between(-40000, 40000));
      default: {
        const auto exponent = static_cast<std::uint32_t>(random_.between(118, 136));
        return (random_.bits32() & 0x807f'ffffu) | exponent << 23;
      }
    }
  }

  void push(const device::CommandWord& word) {
    const auto low = hls::UInt<64>::from(word.low);
    const auto high = hls::UInt<64>::from(word.high);
    commands_.push_back(
        {.word = concat(high, low), .index = kernels::CommandIndex::from(index_++)});
  }

  void expect(const StoreTask& task) {
    const reference::StoredFormat format{.format = static_cast<int>(task.store.format),
                                         .relu = task.store.relu,
                                         .masked = task.store.masked,
                                         .scale = task.scale.scale,
                                         .shift = task.scale.shift};
    for (int m = 0; m < task.shape.rows; ++m) {
      const auto& sums = sums_[at((task.store.sum_row + m) % 1024)];
      const std::uint64_t mask = masks_[at((task.store.mask_row + m) % 2048)];
      const auto bytes = reference::stored_row(format, sums, mask, task.shape.cols, random_states_);
      const std::uint64_t first =
          task.store.address + static_cast<std::uint64_t>(m) * task.shape.row_stride;
      for (std::size_t i = 0; i < bytes.size(); ++i) expected[first + i & kAddressMask] = bytes[i];
      expected_rows_.push_back((task.store.sum_row + m) % 1024);
      const std::uint64_t end = first + bytes.size() - 1;
      expected_bursts_ += (first & kAddressMask) >> 12 == (end & kAddressMask) >> 12 ? 1u : 2u;
    }
    for (int engine = 0; engine < 2; ++engine) {
      if ((task.tokens.wait >> engine & 1) != 0) ++tokens_to_give_[engine];
      if ((task.tokens.signal >> engine & 1) != 0) {
        ++tokens_expected[engine];
        given_after_[engine].push_back(engine == 0 ? expected_bursts_ : expected_rows_.size());
      }
    }
  }

  void take_command(const Inputs& in, const Outputs& out) {
    if (!in.command.valid || !out.command_ready) return;
    commands_.pop_front();
    offers_command_ = false;
  }

  void take_tokens(const Outputs& out) {
    for (int engine = 0; engine < 2; ++engine) {
      if ((out.taken.value() >> engine & 1) != 0 && tokens_[engine]-- == 0) {
        refuse("a token was taken that had not been given");
      }
      if (tokens_to_give_[engine] > 0 && tokens_[engine] < 200 && chance(options_.token)) {
        --tokens_to_give_[engine];
        ++tokens_[engine];
      }
    }
    if (out.taken.value() >= 4) refuse("store took its own token");
  }

  void take_burst(const Inputs& in, const Outputs& out) {
    const auto& burst = out.burst;
    if (was_offered_ && (!burst.valid || !(burst.data.address == offered_.address) ||
                         !(burst.data.beats_less_one == offered_.beats))) {
      refuse("a burst that was offered changed");
    }
    offered_ = {.address = burst.data.address, .beats = burst.data.beats_less_one};
    was_offered_ = burst.valid && !in.burst_ready;
    if (!burst.valid) return;
    const std::uint64_t first = burst.data.address.value();
    const std::uint64_t count = burst.data.beats_less_one.value() + 1;
    if (first / 4096 != (first / kBus * kBus + count * kBus - 1) / 4096)
      refuse("a burst crosses 4 KiB");
    if (!in.burst_ready) return;
    ++bursts;
    open_.push_back({first / kBus * kBus, count});
  }

  void take_beat(const Inputs& in, const Outputs& out) {
    const auto& write = out.write;
    if (was_writing_ && (!write.valid || !(write.data.strobe == last_strobe_) ||
                         !(write.data.last == last_last_))) {
      refuse("a beat that was offered changed");
    }
    last_strobe_ = write.data.strobe;
    last_last_ = write.data.last;
    was_writing_ = write.valid && !in.write_ready;
    if (!write.valid || !in.write_ready) return;
    if (open_.empty()) refuse("a beat came before its burst");
    auto& [address, left] = open_.front();
    for (int i = 0; i < kBus; ++i) {
      const auto byte = static_cast<std::uint8_t>(write.data.data[i].value());
      const bool counts = (write.data.strobe.value() >> i & 1) != 0;
      if (counts) memory[address + at(i)] = byte;
      if (!counts && byte != 0) refuse("a byte without a strobe is not 0");
    }
    if (beats++ == 0) first_beat = clock_;
    last_beat = clock_;
    address += kBus;
    if (static_cast<bool>(write.data.last) != (--left == 0)) refuse("last is at the wrong beat");
    if (left > 0) return;
    open_.pop_front();
    owed_.push_back(clock_ + at(options_.latency));
  }

  void check_given(const Outputs& out) {
    const std::uint64_t done[2] = {answered_, rows_read};
    for (int engine = 0; engine < 2; ++engine) {
      if ((out.given.value() >> engine & 1) == 0) continue;
      const std::uint64_t which = tokens_given[engine]++;
      if (which >= given_after_[engine].size()) refuse("a token was given that no store signals");
      if (done[engine] + (engine == 1 ? 1 : 0) < given_after_[engine][which]) {
        refuse("a token was given too early");
      }
    }
    if (out.given.value() >= 4) refuse("store gave itself a token");
  }

  /// The accumulators' two clocks and the mask's one.
  void read(const Outputs& out) {
    arriving_ = reading_;
    reading_ = out.read_valid ? static_cast<int>(out.read_row.value()) : -1;
    last_sum_ = random_.bits32();
    if (out.read_valid && !stop_ && faults == 0) {
      if (rows_read >= expected_rows_.size() || expected_rows_[rows_read] != reading_) {
        refuse("the wrong accumulator row was read");
      }
    }
    rows_read += out.read_valid ? 1u : 0u;
    if (out.mask_read) mask_row_ = static_cast<int>(out.mask_row.value());
  }

  static constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << 40) - 1;

  Random random_;
  StoreWorldOptions options_;
  std::array<std::array<std::uint32_t, kN>, 1024> sums_;
  std::array<std::uint64_t, 2048> masks_;
  std::array<std::uint32_t, kN> random_states_;
  kernels::Windows windows_;
  bool stop_ = false;

  std::deque<kernels::Command> commands_;
  bool offers_command_ = false;
  std::uint64_t index_ = 0;
  int tokens_[2] = {};
  int tokens_to_give_[2] = {};
  std::vector<std::uint64_t> given_after_[2];  ///< bursts answered, rows read
  std::uint64_t expected_bursts_ = 0;
  std::vector<int> expected_rows_;

  int reading_ = -1;
  int arriving_ = -1;
  std::uint32_t last_sum_ = 0;
  int mask_row_ = 0;

  Offer offered_{};
  bool was_offered_ = false;
  std::deque<std::pair<std::uint64_t, std::uint64_t>> open_;  ///< address of the next beat, beats
  hls::UInt<kBus> last_strobe_;
  hls::UInt1 last_last_;
  bool was_writing_ = false;
  std::deque<std::uint64_t> owed_;
  bool answers_ = false;
  std::uint64_t answered_ = 0;
  std::uint64_t clock_ = 0;
};

/// A random store: a small block of any format, at any alignment, often near a 4 KiB boundary.
/// `nth` places stores apart from each other in memory.
template <int kN>
StoreTask random_store(Random& random, int nth) {
  StoreTask task;
  task.shape.rows = static_cast<std::uint16_t>(random.between(1, random.below(4) == 0 ? 40 : 6));
  task.shape.cols = static_cast<std::uint8_t>(random.below(2) == 0 ? kN : random.between(1, kN));
  const bool aligned = random.below(2) == 0;
  const std::uint32_t gap = 4 * kN;
  task.shape.row_stride = aligned ? gap * (1 + random.below(3)) : gap + random.below(5000);
  task.store.address = (static_cast<std::uint64_t>(nth) + 1) * 0x100000;
  if (!aligned)
    task.store.address += random.below(3) == 0 ? 4096 - random.below(4 * kN) : random.below(64);
  task.store.sum_row = random.bits16();
  task.store.mask_row = random.bits16();
  task.store.format = static_cast<device::StoreFormat>(random.below(6));
  task.store.relu = random.below(3) == 0;
  task.store.masked = random.below(3) == 0;
  const bool is_float = task.store.format == device::StoreFormat::kInt8FromFp32;
  task.scale.scale = is_float ? static_cast<std::uint16_t>(random.between(0x3f00, 0x4300))
                              : static_cast<std::uint16_t>(random.bits16());
  task.scale.shift = static_cast<std::uint8_t>(random.below(32));
  task.scale.seed = random.below(3) == 0 ? random.bits32() : 0;
  task.tokens.wait = static_cast<std::uint8_t>(random.below(3) == 0 ? random.below(4) : 0);
  task.tokens.signal = static_cast<std::uint8_t>(random.below(4));
  return task;
}

}  // namespace systole::tests
