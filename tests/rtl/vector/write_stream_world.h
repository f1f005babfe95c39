#pragma once

#include <deque>
#include <memory>

#include "hls/kernels/vector/write_stream.h"
#include "tests/rtl/traffic.h"
#include "tests/rtl/vector/streams.h"
#include "tests/support/arithmetic_cases.h"

namespace systole::tests {

/// Streams, their words and a memory around a write stream, and what memory must hold at the end.
template <int kN>
class WriteWorld {
 public:
  using Stream = kernels::VectorWriteStream<kN>;

  WriteWorld(std::uint64_t seed, typename BusMemory<kN>::Options options, bool stalls)
      : memory(seed, options),
        expected(memory.bytes),
        touched(memory.bytes.size()),
        random_(seed),
        stalls_(stalls) {
    stream_->reset();
    for (int i = 0; i < kernels::kWindowCount; ++i) windows[i].open = hls::UInt1(0);
    windows[0] = {.base = kernels::Address(0), .end = ~kernels::Address(0), .open = hls::UInt1(1)};
  }

  /// A stream of random words; those of later streams may overwrite it.
  void add(const kernels::VectorStream& stream) {
    streams_.push_back(stream);
    const unsigned bytes = stream_bytes(stream);
    const auto cols = static_cast<unsigned>(stream.cols.value());
    for (std::uint64_t row = 0; row < stream.rows.value(); ++row) {
      std::uint64_t place =
          stream.address.value() - BusMemory<kN>::kBase + row * stream.row_stride.value();
      for (unsigned col = 0; col < (cols + kN - 1) / kN * kN; ++col) {
        lanes_.push_back(value());
        if (col >= cols) continue;
        const std::uint32_t element =
            written_element(static_cast<int>(stream.format.value()), lanes_.back());
        for (unsigned i = 0; i < bytes; ++i, ++place) {
          expected[place] = static_cast<std::uint8_t>(element >> 8 * i);
          touched[place] = true;
        }
      }
    }
    ++to_write_;
  }
  bool is_done() const { return streams_.empty() && lanes_.empty() && is_idle(); }
  bool is_idle() const { return static_cast<bool>(stream_->outputs().idle) && !memory.owes(); }
  bool is_all_written() const { return to_write_ == 0 && memory.bytes == expected; }
  /// Bytes that no stream has, and that changed.
  std::uint64_t strays() const {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      count += !touched[i] && memory.bytes[i] != expected[i];
    }
    return count;
  }
  /// Forgets what was to come, when the stream is idle after a stop.
  void restart() {
    streams_.clear();
    lanes_.clear();
    expected = memory.bytes;
    to_write_ = 0;
    stream_offered_ = word_offered_ = stop = false;
  }

  typename Stream::Inputs clock() {
    const auto out = stream_->outputs();
    typename Stream::Inputs in{};
    stream_offered_ = !streams_.empty() && !stop && (stream_offered_ || moves());
    word_offered_ = !lanes_.empty() && !stop && (word_offered_ || moves());
    in.stream.valid = hls::as_bit(stream_offered_);
    if (stream_offered_) in.stream.data = streams_.front();
    in.word.valid = hls::as_bit(word_offered_);
    for (int n = 0; n < kN; ++n) {
      in.word.data[n] = hls::UInt32::from(word_offered_ ? lanes_[static_cast<std::size_t>(n)] : 0);
    }
    in.windows = windows;
    in.stop = hls::as_bit(stop);
    in.burst_ready = memory.ready();
    in.write_ready = memory.ready();
    in.response_valid = memory.answers();
    in.response_error = in.response_valid & memory.answers_error();
    if (stream_offered_ && out.stream_ready) {
      streams_.pop_front();
      stream_offered_ = false;
    }
    if (word_offered_ && out.word_ready) {
      lanes_.erase(lanes_.begin(), lanes_.begin() + kN);
      word_offered_ = false;
      ++words;
    }
    to_write_ -= static_cast<bool>(out.written);
    if (out.fault.raised) {
      ++faults;
      fault = out.fault;
    }
    memory.observe_write(out.burst, in.burst_ready, out.write, in.write_ready);
    memory.tick();
    stream_->clock(in);
    ++clocks;
    return in;
  }

  BusMemory<kN> memory;
  std::vector<std::uint8_t> expected;
  std::vector<bool> touched;
  kernels::Windows windows;
  bool stop = false;
  int faults = 0;
  kernels::EngineFault fault;
  std::uint64_t words = 0;
  std::uint64_t clocks = 0;

 private:
  bool moves() { return !stalls_ || static_cast<bool>(traffic_.next(random_)); }
  std::uint32_t value() {
    static const std::vector<std::uint32_t> special = special_fp32();
    switch (random_.below(3)) {
      case 0:
        return special[random_.below(static_cast<std::uint32_t>(special.size()))];
      case 1:
        return random_.below(600) - 300;
      default:
        return random_.bits32();
    }
  }

  Random random_;
  bool stalls_;
  std::unique_ptr<Stream> stream_ = std::make_unique<Stream>();
  std::deque<kernels::VectorStream> streams_;
  std::deque<std::uint32_t> lanes_;
  Traffic traffic_;
  bool stream_offered_ = false;
  bool word_offered_ = false;
  int to_write_ = 0;
};

}  // namespace systole::tests
