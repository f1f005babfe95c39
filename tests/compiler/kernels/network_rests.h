#pragma once

#include "systole/hls/int.h"
#include "systole/hls/int_operators.h"
#include "systole/hls/kernel.h"
#include "systole/hls/vec.h"

// dataflow() functions that hand on single values, leave elements in a stream, leave elements of an
// array out, or fill a stream before its reader starts: what C++ makes of each.
namespace systole::tests {

using namespace systole::hls;

// ---- A value that one call sets and later ones take ----

inline void sums_up(const Vec<UInt<8>, 6>& in, UInt<8>& sum) {
  UInt<8> total = 0;
  for (int i = 0; i < 6; ++i) total += in[i];
  sum = total;
}
inline void repeats(UInt<8> x, Vec<UInt<8>, 4>& out) {
  for (int i = 0; i < 4; ++i) out[i] = x;
}
inline void counts_down(const UInt<8>& x, Vec<UInt<8>, 5>& out) {
  for (int i = 0; i < 5; ++i) out[i] = truncate<UInt<8>>(x - UInt<8>::from(i));
}
inline void value_handed_on(const Vec<UInt<8>, 6>& in, Vec<UInt<8>, 4>& out,
                            Vec<UInt<8>, 5>& more) {
  dataflow();
  UInt<8> sum = 7;
  sums_up(in, sum);
  repeats(sum, out);
  counts_down(sum, more);
}

// ---- The same in every iteration; one call only may set it, and reads what it held ----

inline void picks(const Vec<UInt<8>, 7>& in, UInt<3> turn, UInt<8>& one) {
  one = in[static_cast<int>(turn.value())];
}
inline void maybe_adds(const UInt<8>& limit, UInt<8>& one) {
  if (one < limit) one += 100;
}
inline void spreads(UInt<8> one, UInt<3> turn, Vec<UInt<8>, 21>& out) {
  for (int i = 0; i < 3; ++i) {
    sequential();
    out[static_cast<int>(turn.value()) * 3 + i] = truncate<UInt<8>>(one * UInt<2>::from(i));
  }
}
inline void values_in_turn(const Vec<UInt<8>, 7>& in, UInt<8> limit, Vec<UInt<8>, 21>& out) {
  dataflow();
  for (UInt<3> turn = 0; turn < 7; ++turn) {
    UInt<8> one;
    picks(in, turn, one);
    maybe_adds(limit, one);
    spreads(one, turn, out);
  }
}

// ---- A stream whose reader stops early: what is left is gone ----

inline void gives(const Vec<UInt<4>, 12>& in, UInt<2> from, Stream<UInt<4>>& out) {
  for (int i = 0; i < 3; ++i) out.push(in[static_cast<int>(from.value()) * 3 + i]);
}
inline void takes_until_zero(Stream<UInt<4>>& in, UInt<2> turn, Vec<UInt<4>, 4>& out) {
  UInt<4> last = 0;
  for (int i = 0; i < 3; ++i) {
    last = in.pop();
    if (last < 5) break;
  }
  out[static_cast<int>(turn.value())] = last;
}
inline void leaves_some(const Vec<UInt<4>, 12>& in, Vec<UInt<4>, 4>& out) {
  dataflow();
  for (UInt<3> turn = 0; turn < 4; ++turn) {
    LocalStream<UInt<4>, 1> values;
    gives(in, truncate<UInt<2>>(turn), values);
    takes_until_zero(values, truncate<UInt<2>>(turn), out);
  }
}

inline void gives_all(const Vec<UInt<8>, 20>& in, Stream<UInt<8>>& out) {
  for (int i = 0; i < 20; ++i) out.push(in[i]);
}
inline void takes_a_few(Stream<UInt<8>>& in, UInt<3> count, Vec<UInt<8>, 8>& out) {
  for (UInt<3> i = 0; i < count; ++i) out[static_cast<int>(i.value())] = in.pop();
}
inline void leaves_many(const Vec<UInt<8>, 20>& in, UInt<3> count, Vec<UInt<8>, 8>& out) {
  dataflow();
  LocalStream<UInt<8>, 2> values;
  gives_all(in, values);
  takes_a_few(values, count, out);
}

// ---- A stream that is just long enough for all that comes before its reader starts ----

inline void sends_nonzero(const Vec<UInt<4>, 16>& in, Stream<UInt<4>>& some, UInt<5>& count) {
  UInt<5> sent = 0;
  for (int i = 0; i < 16; ++i) {
    if (in[i] == 0) continue;
    some.push(in[i]);
    sent += UInt<5>(1);
  }
  count = sent;
}
inline void takes_counted(Stream<UInt<4>>& some, UInt<5> count, Vec<UInt<4>, 16>& out) {
  for (UInt<5> i = 0; i < count; ++i) out[static_cast<int>(i.value())] = some.pop();
}
/// The writer's end holds two of the sixteen.
inline void held_before_its_reader(const Vec<UInt<4>, 16>& in, Vec<UInt<4>, 16>& out) {
  dataflow();
  LocalStream<UInt<4>, 14> some;
  UInt<5> count;
  sends_nonzero(in, some, count);
  takes_counted(some, count, out);
}
inline void takes_few(Stream<UInt<4>>& some, UInt<5> other, UInt<3> turn, Vec<UInt<4>, 5>& out) {
  UInt<4> sum = 0;
  for (int i = 0; i < 5; ++i) {
    if (other > UInt<5>::from(i + 10)) sum ^= some.pop();
  }
  out[static_cast<int>(turn.value())] = sum;
}
inline void sends_eleven(const Vec<UInt<4>, 16>& in, UInt<3> turn, Stream<UInt<4>>& some,
                         UInt<5>& count) {
  UInt<5> sum = 0;
  for (int i = 0; i < 11; ++i) {
    const UInt<4> one = in[i + static_cast<int>(turn.value())];
    some.push(one);
    sum += one;
  }
  count = sum;
}
/// Each reader starts after the other stream's writer: one of the two holds all.
inline void crossed(const Vec<UInt<4>, 16>& in, const Vec<UInt<4>, 16>& other, Vec<UInt<4>, 5>& out,
                    Vec<UInt<4>, 5>& more) {
  dataflow();
  for (UInt<3> turn = 0; turn < 5; ++turn) {
    LocalStream<UInt<4>, 1> left;
    LocalStream<UInt<4>, 9> right;
    UInt<5> of_left;
    UInt<5> of_right;
    sends_eleven(in, turn, left, of_left);
    sends_eleven(other, turn, right, of_right);
    takes_few(left, of_right, turn, out);
    takes_few(right, of_left, turn, more);
  }
}

// ---- Elements that their writer leaves out are zero in every turn ----

inline void fills_some(const Vec<UInt<8>, 6>& in, UInt<2> turn, Vec<UInt<8>, 4>& part) {
  for (int i = 0; i < 4; ++i) {
    const int at = static_cast<int>(turn.value()) * 4 + i;
    if (at < 6) part[i] = in[at];
  }
}
inline void drains(const Vec<UInt<8>, 4>& part, UInt<2> turn, Vec<UInt<8>, 12>& out) {
  for (int i = 0; i < 4; ++i) out[static_cast<int>(turn.value()) * 4 + i] = part[i];
}
inline void partial_rows(const Vec<UInt<8>, 6>& in, Vec<UInt<8>, 12>& out) {
  dataflow();
  for (UInt<2> turn = 0; turn < 3; ++turn) {
    Vec<UInt<8>, 4> part;
    fills_some(in, turn, part);
    drains(part, turn, out);
  }
}

inline void marks(const Vec<UInt<3>, 9>& in, Vec<Vec<UInt<1>, 4>, 2>& seen) {
  for (int i = 0; i < 9; ++i) seen[in[i][2] ? 1 : 0][static_cast<int>(in[i].value()) & 3] = 1;
}
inline void reports(const Vec<Vec<UInt<1>, 4>, 2>& seen, UInt<8>& set) {
  UInt<8> bits = 0;
  for (int row = 0; row < 2; ++row) {
    for (int i = 0; i < 4; ++i) bits = truncate<UInt<8>>((bits << 1) | UInt<8>(seen[row][i]));
  }
  set = bits;
}
inline void marked(const Vec<UInt<3>, 9>& in, UInt<8>& set) {
  dataflow();
  Vec<Vec<UInt<1>, 4>, 2> seen;
  marks(in, seen);
  reports(seen, set);
}

}  // namespace systole::tests
