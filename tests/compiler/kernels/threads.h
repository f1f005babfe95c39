#pragma once

#include "systole/hls/thread.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

/// Two beats in, one out.
inline Thread sum_pairs(StreamIn<UInt8>& values, StreamOut<UInt<9>>& sums) {
pair:
  for (;;) {
    const UInt8 first = co_await values.pop();
    const UInt8 second = co_await values.pop();
    co_await sums.push(first + second);
  }
}

/// A block of rows, a column at a time.
struct BlockCommand {
  UInt16 base;
  UInt8 rows;
  UInt8 columns;
  UInt8 stride;
};
inline Thread block_addresses(StreamIn<BlockCommand>& commands, StreamOut<UInt16>& addresses,
                              UInt8& blocks) {
  blocks = UInt8(0);
command:
  for (;;) {
    const BlockCommand block = co_await commands.pop();
    UInt8 row;
  row:
    do {
      UInt8 column;
    column:
      do {
        co_await addresses.push(truncate<UInt16>(block.base + row * block.stride + column));
        column = truncate<UInt8>(column + UInt1(1));
      } while (column < block.columns);
      row = truncate<UInt8>(row + UInt1(1));
    } while (row < block.rows);
    blocks = truncate<UInt8>(blocks + UInt1(1));
  }
}

/// Waits for edges alone: counts the clocks since the last kick.
inline Thread watchdog(const UInt1& kick, const UInt<4>& limit, UInt1& expired, UInt<4>& idle) {
  expired = UInt1(0);
  idle = UInt<4>(0);
watch:
  while (true) {
    co_await clock();
    if (kick) {
      idle = UInt<4>(0);
      expired = UInt1(0);
    } else if (idle < limit) {
      idle = truncate<UInt<4>>(idle + UInt1(1));
    } else {
      expired = UInt1(1);
    }
  }
}

/// Looks before it waits: `urgent` goes first.
inline Thread merge(StreamIn<UInt8>& urgent, StreamIn<UInt8>& normal, StreamOut<UInt<9>>& merged,
                    UInt8& taken) {
  taken = UInt8(0);
  co_await merged.push(UInt<9>(0));
choose:
  for (;;) {
    co_await clock();
    UInt<9> beat;
    if (urgent.valid()) {
      const UInt8 data = co_await urgent.pop();
      beat = concat(UInt1(1), data);
    } else if (normal.valid() && !(normal.peek() == 0)) {
      beat = co_await normal.pop();
    } else {
      continue;
    }
    taken = truncate<UInt8>(taken + UInt1(1));
    co_await merged.push(beat);
  }
}

/// Ends: a short greeting, then nothing until the next reset.
inline Thread greeting(StreamOut<UInt8>& letters, UInt1& done) {
  done = UInt1(0);
  co_await letters.push(UInt8(72));
  for (UInt<2> i; i < UInt<2>(3); i = truncate<UInt<2>>(i + UInt1(1))) {
    co_await letters.push(truncate<UInt8>(UInt8(105) + i));
    if (i == UInt<2>(2)) break;
  }
  done = UInt1(1);
}

/// Loops without a wait are unrolled; a loop with one is a state.
inline Thread dot_products(StreamIn<Vec<Int<8>, 4>>& vectors, StreamOut<Int<20>>& sums,
                           const Vec<Int<8>, 4>& weights, Vec<UInt<3>, 2>& counts) {
  counts = {};
  co_await sums.push(Int<20>(0));
  for (;;) {
    Int<20> total = Int<20>(0);
  beat:
    for (UInt<3> beat; beat < UInt<3>(3); beat = truncate<UInt<3>>(beat + UInt1(1))) {
      const Vec<Int<8>, 4> values = co_await vectors.pop();
      for (int i = 0; i < 4; ++i) {
        if (values[i] == Int<8>(-1)) continue;
        total = truncate<Int<20>>(total + values[i] * weights[i]);
      }
      counts[0] = truncate<UInt<3>>(counts[0] + UInt1(1));
    }
    counts[1] = truncate<UInt<3>>(counts[1] + counts[0]);
    if (total < Int<20>(0)) {
      co_await clock();
      total = truncate<Int<20>>(Int<20>(0) - total);
    }
    co_await sums.push(total);
  }
}

/// Threads as submodules, each the other's neighbour.
inline Thread halves(StreamIn<UInt16>& words, StreamOut<UInt8>& bytes) {
  co_await bytes.push(UInt8(0));
word:
  for (;;) {
    const UInt16 word = co_await words.pop();
    co_await bytes.push(slice<7, 0>(word));
    co_await bytes.push(slice<15, 8>(word));
  }
}
struct TwoThreads {
  struct Inputs {
    Beat<UInt16> word;
    UInt1 sum_ready;
  };
  struct Outputs {
    UInt1 word_ready;
    Beat<UInt<9>> sum;
  };
  Process<&halves> halves_;
  Process<&sum_pairs> sums_;

  Outputs clock(const Inputs& in) {
    const auto left = halves_.outputs();
    const auto right = sums_.outputs();
    decltype(halves_)::Inputs words;
    part<0>(words) = in.word;
    part<1>(words) = part<0>(right);
    decltype(sums_)::Inputs bytes;
    part<0>(bytes) = part<1>(left);
    part<1>(bytes) = in.sum_ready;
    halves_.clock(words);
    sums_.clock(bytes);
    return {.word_ready = part<0>(left), .sum = part<1>(right)};
  }
  void reset() {
    halves_.reset();
    sums_.reset();
  }
};

/// Waits inside a switch, and different streams in each of its arms.
inline Thread calculator(StreamIn<UInt<2>>& operations, StreamIn<UInt8>& left,
                         StreamIn<UInt8>& right, StreamOut<UInt<9>>& results) {
  for (;;) {
    const UInt<2> operation = co_await operations.pop();
    UInt<9> result;
    switch (operation.value()) {
      case 0:
        result = co_await left.pop();
        break;
      case 1:
        result = co_await right.pop();
        break;
      case 2: {
        const UInt8 first = co_await left.pop();
        const UInt8 second = co_await right.pop();
        result = first + second;
        break;
      }
      default:
        co_await clock();
        result = UInt<9>(7);
    }
    co_await results.push(result);
  }
}

/// A wait in a loop's condition.
inline Thread skip_zeros(StreamIn<UInt8>& all, StreamOut<UInt8>& others) {
  for (;;) {
    UInt8 value;
    while ((value = co_await all.pop()) == 0) {
    }
    co_await others.push(value);
  }
}

/// Wider than two machine words, and an end.
inline Thread wide_sums(StreamIn<UInt<100>>& words, StreamOut<UInt<100>>& mixed, UInt<100>& sum) {
  sum = UInt<100>(0);
  for (;;) {
    const UInt<100> word = co_await words.pop();
    sum = truncate<UInt<100>>(sum + word);
    if (bit<99>(sum)) co_return;
    co_await mixed.push(sum ^ word);
  }
}

/// Structs as beats and as an output register, changed in parts.
struct Packet {
  UInt<4> kind;
  Vec<UInt8, 3> bytes;
  Int<5> offset;
  bool last;
};
inline Thread repack(StreamIn<Packet>& packets, StreamOut<Packet>& turned, Packet& seen) {
  seen = {};
  for (;;) {
    Packet packet = co_await packets.pop();
    seen = packet;
    const UInt8 first = packet.bytes[0];
    packet.bytes[0] = packet.bytes[2];
    packet.bytes[2] = first;
    packet.offset = truncate<Int<5>>(packet.offset + Int<5>(1));
    co_await turned.push(packet);
    if (packet.last) {
      co_await clock();
      co_await turned.push(packet);
    }
  }
}

/// Loops with waits whose turns are states of their own.
inline Thread reverse_four(StreamIn<UInt8>& values, StreamOut<UInt8>& reversed) {
  for (;;) {
    Vec<UInt8, 4> kept;
#pragma unroll
    for (int i = 0; i < 4; ++i) kept[i] = co_await values.pop();
#pragma unroll
    for (int i = 0; i < 4; ++i) co_await reversed.push(kept[3 - i]);
  }
}

/// A loop made with goto, and loops that are left early; int counters take the bits they need.
inline Thread left_early(StreamIn<UInt8>& values, const UInt1& stop, UInt8& sum) {
  sum = UInt8(0);
again:
  for (UInt8 i; i < UInt8(20); i = truncate<UInt8>(i + UInt1(1))) {
    const UInt8 value = co_await values.pop();
    if (value == UInt8(3)) goto again;
    if (stop && value == UInt8(4)) co_return;
    for (int k = 0; k < 3; ++k) {
      co_await clock();
      if (value == UInt8(1)) break;
      sum = truncate<UInt8>(sum + value);
    }
  }
  co_await clock();
  goto again;
}

/// Waits under a condition that never holds, as is known only once the counter has the bits that it
/// needs: no state is left of them.
inline Thread short_turns(StreamIn<UInt8>& values, StreamOut<UInt8>& sums) {
  UInt8 sum = UInt8(1);
  for (;;) {
    co_await clock();
    for (UInt<4> i; i < UInt<4>(2); i = truncate<UInt<4>>(i + UInt1(1))) {
      co_await sums.push(truncate<UInt8>(i - sum));
      if (bit<3>(i)) {
        const UInt8 twice = truncate<UInt8>(sum + sum);
        const UInt8 value = co_await values.pop();
        co_await sums.push(twice ^ value);
        sum = twice;
      } else {
        sum = co_await values.pop();
      }
    }
  }
}

/// A variable of a raw C++ type that one of two tests sets.
inline Thread one_of_two_tests(StreamIn<UInt8>& values, StreamOut<UInt8>& sums) {
  for (;;) {
    const UInt8 value = co_await values.pop();
    const bool is_large = value > UInt8(100);
    int step;
    if (is_large) step = 3;
    if (!is_large) step = 5;
    const UInt8 next = co_await values.pop();
    co_await sums.push(truncate<UInt8>(next + UInt8::from(static_cast<std::uint64_t>(step))));
  }
}

}  // namespace systole::tests
