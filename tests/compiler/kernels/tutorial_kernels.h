#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "systole/hls/int.h"
#include "systole/hls/kernel.h"
#include "systole/hls/kernel_stream.h"
#include "systole/hls/thread.h"
#include "systole/hls/vec.h"

// What tutorials of high-level synthesis teach first, as C++ programmers write it.
namespace systole::tests {

using namespace systole::hls;

/// A FIR filter whose samples stay in place in a circular buffer.
inline void ring_fir(Stream<Int<12>>& in, Stream<Int<28>>& out) {
  constexpr std::array<Int<8>, 7> kTaps = {-3, 11, 27, 61, 27, 11, -3};
  std::array<Int<12>, 8> ring;
  unsigned head = 0;
  for (int n = 0; n < 24; ++n) {
    ring[head] = in.pop();
    Int<28> sum = 0;
    unsigned at = head;
    for (const Int<8>& tap : kTaps) {
      sum += tap * ring[at];
      at = (at - 1) % ring.size();
    }
    head = (head + 1) % ring.size();
    out.push(sum);
  }
}

/// A histogram that keeps the bin it counts in a register and writes it when another one comes.
inline void cached_histogram(const Vec<UInt<8>, 48>& in, Vec<UInt<7>, 16>& counts) {
  std::array<UInt<7>, 16> bins;
  UInt<4> cached = 0;
  UInt<7> count = 0;
  for (int i = 0; i < 48; ++i) {
    const auto bin = UInt<4>::from(in[i].value() >> 4);
    if (bin == cached) {
      ++count;
      continue;
    }
    bins[cached.value()] = count;
    count = bins[bin.value()];
    ++count;
    cached = bin;
  }
  bins[cached.value()] = count;
  std::copy(bins.begin(), bins.end(), counts.begin());
}

/// Blelloch's scan: sums up a tree and back down, in place.
inline void tree_scan(Vec<UInt<16>, 32>& data, UInt<16>& total) {
  for (int step = 1; step < 32; step *= 2) {
    for (int i = 2 * step - 1; i < 32; i += 2 * step) data[i] += data[i - step];
  }
  total = data[31];
  data[31] = 0;
  for (int step = 16; step > 0; step /= 2) {
    for (int i = 2 * step - 1; i < 32; i += 2 * step) {
      const UInt<16> left = std::exchange(data[i - step], data[i]);
      data[i] += left;
    }
  }
}

inline constexpr std::array<UInt<32>, 256> kCrc = [] {
  std::array<UInt<32>, 256> table;
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0xedb88320u : 0u);
    table[i] = UInt<32>::from(value);
  }
  return table;
}();

/// CRC-32, a byte at a time, with a table that C++ computes.
inline void table_crc(const UInt<8> (&bytes)[20], UInt<32>& crc) {
  crc = ~std::accumulate(std::begin(bytes), std::end(bytes), UInt<32>(0xffffffff),
                         [](const UInt<32>& sum, const UInt<8>& byte) {
                           const auto at = (sum.value() ^ byte.value()) & 0xff;
                           return UInt<32>::from(sum.value() >> 8) ^ kCrc[at];
                         });
}

/// Batcher's bitonic network.
inline std::array<UInt<6>, 8> bitonic(std::array<UInt<6>, 8> x) {
  for (unsigned size = 2; size <= x.size(); size <<= 1) {
    for (unsigned distance = size >> 1; distance > 0; distance >>= 1) {
      for (unsigned i = 0; i < x.size(); ++i) {
        const unsigned other = i ^ distance;
        if (other <= i) continue;
        const bool upwards = (i & size) == 0;
        if (upwards ? x[other] < x[i] : x[i] < x[other]) std::swap(x[i], x[other]);
      }
    }
  }
  return x;
}

inline void send_rows(const Vec<Vec<UInt<10>, 6>, 5>& from, Stream<UInt<10>>& rows) {
  for (const auto& row : from) {
    for (const auto& one : row) rows.push(one);
  }
}
inline void take_columns(Stream<UInt<10>>& rows, Vec<Vec<UInt<10>, 5>, 6>& to) {
  for (std::size_t n = 0; n < 30; ++n) to[n % 6][n / 6] = rows.pop();
}
/// A matrix transposed on its way through a stream.
inline void stream_transpose(const Vec<Vec<UInt<10>, 6>, 5>& from, Vec<Vec<UInt<10>, 5>, 6>& to) {
  dataflow();
  LocalStream<UInt<10>, 3> rows;
  send_rows(from, rows);
  take_columns(rows, to);
}

/// Runs of equal values, as pairs of value and length minus one; a run is at most 8 long.
inline void run_lengths(const Vec<UInt<2>, 40>& in, Stream<UInt<5>>& runs, UInt<6>& count) {
  std::optional<UInt<2>> current;
  UInt<3> more = 0;
  UInt<6> sent = 0;
  const auto flush = [&] {
    runs.push(concat(*current, more));
    ++sent;
  };
  for (const auto& one : in) {
    if (current == one && more != 7) {
      ++more;
      continue;
    }
    if (current) flush();
    current = one;
    more = 0;
  }
  flush();
  count = sent;
}

/// The longest earlier match of the bytes from `at` on, as LZ4 looks for it: a table of hashes of
/// four bytes, and a comparison that goes on while bytes are equal.
inline void longest_match(const Vec<UInt<2>, 64>& bytes, UInt<6>& from, UInt<6>& at,
                          UInt<6>& length) {
  std::array<UInt<6>, 16> seen;
  UInt<16> is_seen = 0;
  UInt<6> best = 0;
  UInt<6> best_from = 0;
  UInt<6> best_at = 0;
  for (unsigned i = 0; i + 4 <= 64; ++i) {
    const auto word = concat(concat(bytes[i], bytes[i + 1]), concat(bytes[i + 2], bytes[i + 3]));
    const auto hash = (word.value() * 11) >> 3 & 15;
    if (is_seen[static_cast<int>(hash)]) {
      unsigned same = 0;
      const unsigned start = static_cast<unsigned>(seen[hash].value());
      while (i + same < 64 && bytes[start + same] == bytes[i + same]) ++same;
      if (same > best.value()) {
        best = UInt<6>::from(same);
        best_from = seen[hash];
        best_at = UInt<6>::from(i);
      }
    }
    seen[hash] = UInt<6>::from(i);
    is_seen |= truncate<UInt<16>>(UInt<16>(1) << UInt<4>::from(hash));
  }
  from = best_from;
  at = best_at;
  length = best;
}

/// A UART that sends eight bits, parity and a stop bit, four clocks each.
inline Thread uart_send(StreamIn<UInt<8>>& bytes, UInt<1>& line) {
  line = 1;
  co_await clock();
  for (;;) {
    UInt<8> byte = co_await bytes.pop();
    bool parity = false;
    line = 0;
    for (int i = 0; i < 4; ++i) co_await clock();
    for (int bit = 0; bit < 8; ++bit, byte >>= 1) {
      parity ^= (byte.value() & 1) != 0;
      line = truncate<UInt<1>>(byte);
      for (int i = 0; i < 4; ++i) co_await clock();
    }
    line = as_bit(parity);
    for (int i = 0; i < 4; ++i) co_await clock();
    line = 1;
    for (int i = 0; i < 4; ++i) co_await clock();
  }
}

/// The other side, as a state machine of its own.
struct UartReceive {
  enum class State : std::uint8_t { kIdle, kStart, kData, kParity, kStop };
  struct Inputs {
    UInt<1> line;
  };
  struct Outputs {
    UInt<8> byte;
    UInt<1> valid;
    UInt<1> error;
  };

  Outputs clock(const Inputs& in) {
    const Outputs out{.byte = byte_, .valid = valid_, .error = error_};
    valid_ = 0;
    const bool middle = tick_ == 2;
    ++tick_;
    switch (state_) {
      case State::kIdle:
        tick_ = 1;
        if (in.line == 0) state_ = State::kStart;
        break;
      case State::kStart:
        if (!middle) break;
        state_ = in.line == 0 ? State::kData : State::kIdle;
        parity_ = 0;
        bit_ = 0;
        break;
      case State::kData:
        if (!middle) break;
        byte_[bit_.value()] = in.line == 1;
        parity_ ^= in.line;
        if (bit_++ == 7) state_ = State::kParity;
        break;
      case State::kParity:
        if (middle) {
          error_ = in.line ^ parity_;
          state_ = State::kStop;
        }
        break;
      case State::kStop:
        if (!middle) break;
        valid_ = in.line & ~error_;
        [[fallthrough]];
      default:
        state_ = State::kIdle;
    }
    return out;
  }
  void reset() {
    state_ = State::kIdle;
    tick_ = 0;
    bit_ = 0;
    parity_ = 0;
    valid_ = 0;
    error_ = 0;
    byte_ = 0;
  }

 private:
  State state_;
  UInt<2> tick_;
  UInt<3> bit_;
  UInt<1> parity_;
  UInt<1> valid_;
  UInt<1> error_;
  UInt<8> byte_;
};

/// A round-robin arbiter: whoever asks next behind the last one.
struct RoundRobin {
  struct Inputs {
    std::array<bool, 5> request;
    bool done;
  };
  struct Outputs {
    std::array<bool, 5> grant;
    UInt<3> who;
  };

  Outputs clock(const Inputs& in) {
    Outputs out{.grant = grant_, .who = last_};
    const bool is_busy = std::any_of(grant_.begin(), grant_.end(), std::identity());
    if (is_busy && !in.done) return out;
    grant_.fill(false);
    std::array<bool, 5> turned = in.request;
    for (unsigned i = 0; i < turned.size(); ++i) {
      unsigned at = static_cast<unsigned>(last_.value()) + 1 + i;
      if (at >= 5) at -= 5;
      turned[i] = at < 5 && in.request[at];
    }
    const auto* found = std::find(turned.begin(), turned.end(), true);
    if (found == turned.end()) return out;
    auto next = static_cast<unsigned>(last_.value() + 1 + (found - turned.begin()));
    if (next >= 5) next -= 5;
    last_ = UInt<3>::from(next);
    if (next < 5) grant_[next] = true;
    return out;
  }
  void reset() {
    grant_ = {};
    last_ = 4;
  }

 private:
  std::array<bool, 5> grant_;
  UInt<3> last_;
};

}  // namespace systole::tests
