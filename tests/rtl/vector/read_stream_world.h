#pragma once

#include <deque>
#include <memory>

#include "hls/kernels/vector/read_stream.h"
#include "tests/rtl/traffic.h"
#include "tests/rtl/vector/streams.h"

namespace systole::tests {

/// Memory, a queue of streams and a taker of words around a read stream.
template <int kN>
class ReadWorld {
 public:
  using Stream = kernels::VectorReadStream<kN>;

  ReadWorld(std::uint64_t seed, typename BusMemory<kN>::Options options, bool stalls)
      : memory(seed, options), random_(seed), stalls_(stalls) {
    stream_->reset();
    for (int i = 0; i < kernels::kWindowCount; ++i) windows[i].open = hls::UInt1(0);
    windows[0] = {.base = kernels::Address(0), .end = ~kernels::Address(0), .open = hls::UInt1(1)};
  }

  void add(const kernels::VectorStream& stream) {
    streams_.push_back(stream);
    for (const std::uint32_t lane : expected_lanes(memory, stream)) expected_.push_back(lane);
  }
  bool is_done() const { return streams_.empty() && expected_.empty() && is_idle(); }
  bool is_idle() const { return static_cast<bool>(stream_->outputs().idle) && !memory.owes(); }
  /// Forgets what was to come, when the stream is idle after a stop.
  void restart() {
    streams_.clear();
    expected_.clear();
    offered_ = false;
    stop = false;
  }

  typename Stream::Inputs clock() {
    const auto out = stream_->outputs();
    offered_ = !streams_.empty() && !stop && (offered_ || !stalls_ || random_.below(4) == 0);
    const typename Stream::Inputs in = {
        .stream = {.valid = hls::as_bit(offered_),
                   .data = offered_ ? streams_.front() : kernels::VectorStream{}},
        .windows = windows,
        .stop = hls::as_bit(stop),
        .burst_ready = memory.ready(),
        .read = memory.beat(),
        .word_ready = stalls_ && !stop ? traffic_.next(random_) : hls::UInt1(1)};
    if (offered_ && out.stream_ready) {
      streams_.pop_front();
      offered_ = false;
    }
    if (out.word.valid && in.word_ready && !stop) take(out.word.data);
    if (out.fault.raised) {
      ++faults;
      fault = out.fault;
    }
    memory.observe_read(out.burst, in.burst_ready, in.read.valid);
    memory.tick();
    stream_->clock(in);
    ++clocks;
    return in;
  }

  BusMemory<kN> memory;
  kernels::Windows windows;
  bool stop = false;
  int faults = 0;
  kernels::EngineFault fault;
  std::uint64_t words = 0;
  std::uint64_t wrong = 0;
  std::uint64_t clocks = 0;

 private:
  void take(const typename Stream::Word& word) {
    for (int n = 0; n < kN; ++n) {
      wrong += expected_.empty() || expected_.front() != word[n].value();
      if (!expected_.empty()) expected_.pop_front();
    }
    ++words;
  }

  Random random_;
  bool stalls_;
  std::unique_ptr<Stream> stream_ = std::make_unique<Stream>();
  std::deque<kernels::VectorStream> streams_;
  std::deque<std::uint32_t> expected_;
  Traffic traffic_;
  bool offered_ = false;
};

}  // namespace systole::tests
