#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include "hls/kernels/load_engine.h"
#include "tests/support/load_cases.h"

namespace systole::tests {

/// The behaviour of the load engine's surroundings.
struct LoadPace {
  int latency = 10;      ///< clocks from a burst to its first beat
  int ready_of_8 = 8;    ///< how often a burst is taken
  int beats_of_8 = 8;    ///< how often a beat is there
  int command_of_8 = 8;  ///< how often the next command is there
};

/// The surroundings of a load engine: its queue, memory, tokens and buffers. Turns the engine's
/// outputs into its next inputs, and records what it did.
///
/// Limits   bytes that the engine did not request are noise, as on a bus
template <int kN, int kBus = kN>
class LoadTraffic {
 public:
  using Engine = kernels::LoadEngine<kN, true, kBus>;
  using Inputs = typename Engine::Inputs;
  using Outputs = typename Engine::Outputs;

  struct GivenBurst {
    std::uint64_t address;
    int beats;
    int clock;
  };
  struct GivenWord {
    reference::LoadWord word;
    int clock;
  };
  struct GivenToken {
    unsigned engines;
    int clock;
    std::size_t words;  ///< written by the time it was given
  };
  struct Fault {
    unsigned code;
    unsigned command;
    std::uint64_t address;
  };

  LoadTraffic(std::uint64_t seed, const LoadPace& pace) : random_(seed), pace_(pace) {
    for (int i = 0; i < kernels::kWindowCount; ++i) windows_[i] = {};
    open(0, 0, kLastAddress);
  }

  void open(int window, std::uint64_t base, std::uint64_t end) {
    windows_[window] = {.base = kernels::Address::from(base),
                        .end = kernels::Address::from(end),
                        .open = hls::UInt1(1)};
  }
  void close(int window) { windows_[window].open = hls::UInt1(0); }

  const kernels::Windows& windows() const { return windows_; }

  void command(const kernels::CommandWord& word) {
    commands_.push_back({.word = word, .index = kernels::CommandIndex::from(next_index_++)});
  }
  /// Adds the commands of a load, shapes included, and returns the index of the last.
  unsigned load(const LoadCase& load) {
    command(load_shape_word(load.block));
    if (load.block.has_patches) command(load_patches_word(load.block.patches));
    command(load_word(load));
    return next_index_ - 1;
  }
  void give_token(int engine) { ++tokens_[engine]; }
  void give_token_later(int engine, int clocks) { coming_[engine].push_back(now_ + clocks); }
  void drop_tokens() {
    for (int e = 0; e < 3; ++e) {
      tokens_[e] = 0;
      coming_[e].clear();
    }
  }
  void stop(bool on) { stop_ = on; }
  /// Makes the beat of this number, counted from now on, answer with an error.
  void fail_beat(int count) { beats_to_error_ = count; }
  void set_pace(const LoadPace& pace) { pace_ = pace; }
  /// As after a reset of everything.
  void forget() {
    commands_.clear();
    beats_.clear();
    offered_ = false;
    stop_ = false;
    beats_to_error_ = -1;
    drop_tokens();
  }

  /// One clock: takes the engine's outputs and returns its next inputs.
  Inputs next(const Outputs& out) {
    ++now_;
    for (int e = 0; e < 3; ++e) taken_[e] += static_cast<int>(out.taken.value() >> e & 1);
    Inputs in{};
    in.windows = windows_;
    in.stop = hls::as_bit(stop_);
    for (int e = 0; e < 3; ++e) {
      tokens_[e] += static_cast<int>(std::erase_if(coming_[e], [&](int at) { return at <= now_; }));
      if (tokens_[e] > 0)
        in.tokens = in.tokens | (hls::UInt<3>(1) << hls::UInt<2>::from(unsigned(e)));
      // A beat taken now disappears after this clock.
      if (out.taken.value() >> e & 1) --tokens_[e];
    }
    offer_command(in, out);
    in.burst_ready = hls::as_bit(chance(pace_.ready_of_8));
    if (out.burst.valid && in.burst_ready) accept(out.burst.data);
    offer_beat(in, out);
    keep_words(out);
    if (out.given != 0) {
      given_.push_back({static_cast<unsigned>(out.given.value()), now_, words_.size()});
    }
    if (out.fault.raised) {
      faults_.push_back({static_cast<unsigned>(out.fault.code.value()),
                         static_cast<unsigned>(out.fault.command.value()),
                         out.fault.address.value()});
    }
    return in;
  }

  int now() const { return now_; }
  bool commands_left() const { return !commands_.empty(); }
  std::size_t beats_owed() const { return beats_.size(); }
  int beats_taken() const { return beats_taken_; }
  int taken(int engine) const { return taken_[engine]; }
  const std::vector<GivenBurst>& bursts() const { return bursts_; }
  const std::vector<GivenWord>& words() const { return words_; }
  const std::vector<GivenToken>& given() const { return given_; }
  const std::vector<Fault>& faults() const { return faults_; }

 private:
  struct OwedBeat {
    std::uint64_t address;  ///< of its lane 0
    int first_lane;
    bool last;
    int from_clock;
  };

  bool chance(int of_8) { return random_.below(8) < static_cast<unsigned>(of_8); }

  void offer_command(Inputs& in, const Outputs& out) {
    if (commands_.empty()) return;
    command_offered_ = command_offered_ || chance(pace_.command_of_8);
    in.command = {.valid = hls::as_bit(command_offered_), .data = commands_.front()};
    if (command_offered_ && out.command_ready) {
      commands_.pop_front();
      command_offered_ = false;
    }
  }

  void accept(const kernels::Burst& burst) {
    const std::uint64_t address = burst.address.value();
    const int beats = static_cast<int>(burst.beats_less_one.value()) + 1;
    bursts_.push_back({address, beats, now_});
    const auto lane = static_cast<int>(address % kBus);
    for (int i = 0; i < beats; ++i) {
      last_beat_ = std::max(last_beat_ + 1, now_ + pace_.latency);
      beats_.push_back({address - address % kBus + static_cast<unsigned>(i * kBus),
                        i == 0 ? lane : 0, i + 1 == beats, last_beat_});
    }
  }

  void offer_beat(Inputs& in, const Outputs& out) {
    for (int n = 0; n < kBus; ++n) in.read.data.data[n] = hls::UInt8::from(random_.bits());
    if (beats_.empty() || beats_.front().from_clock > now_) return;
    if (!offered_) {
      offered_ = chance(pace_.beats_of_8);
      offered_error_ = offered_ && beats_to_error_ >= 0 && beats_to_error_-- == 0;
    }
    if (!offered_) return;
    const OwedBeat& beat = beats_.front();
    in.read.valid = hls::UInt1(1);
    in.read.data.error = hls::as_bit(offered_error_);
    in.read.data.last = hls::as_bit(beat.last);
    for (int n = beat.first_lane; n < kBus; ++n) {
      in.read.data.data[n] = hls::UInt8::from(memory_byte(beat.address + static_cast<unsigned>(n)));
    }
    if (out.read_ready) {
      beats_.pop_front();
      ++beats_taken_;
      offered_ = false;
    }
  }

  void keep_words(const Outputs& out) {
    const hls::UInt1 valid[] = {out.rows_valid, out.weights_valid, out.accumulators_valid,
                                out.masks_valid};
    for (int buffer = 0; buffer < 4; ++buffer) {
      if (!valid[buffer]) continue;
      reference::LoadWord word;
      word.buffer = static_cast<reference::LoadBuffer>(buffer);
      word.row = static_cast<int>(out.row.value());
      for (int n = 0; n < kN; ++n) {
        const std::uint64_t lane = buffer == 2   ? out.sums[n].value()
                                   : buffer == 3 ? out.mask.value() >> n & 1
                                                 : out.operands[n].value();
        word.lanes.push_back(static_cast<std::uint32_t>(lane));
      }
      words_.push_back({std::move(word), now_});
    }
  }

  Random random_;
  LoadPace pace_;
  int now_ = 0;
  kernels::Windows windows_;
  std::deque<kernels::Command> commands_;
  unsigned next_index_ = 0;
  bool command_offered_ = false;
  int tokens_[3] = {};
  std::vector<int> coming_[3];  ///< clocks in which more tokens are given
  int taken_[3] = {};
  bool stop_ = false;
  std::deque<OwedBeat> beats_;
  int last_beat_ = 0;
  bool offered_ = false;
  bool offered_error_ = false;
  int beats_to_error_ = -1;
  int beats_taken_ = 0;
  std::vector<GivenBurst> bursts_;
  std::vector<GivenWord> words_;
  std::vector<GivenToken> given_;
  std::vector<Fault> faults_;
};

}  // namespace systole::tests
