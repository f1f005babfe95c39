#pragma once

#include "systole/hls/int.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;

/// Small pure functions, for proofs. Each is about one kind of operation.

constexpr Int<19> sums(const UInt<9>& a, const Int<13>& b, const UInt<1>& c) {
  const Int<14> sum = Int<13>(a) + b;
  const Int<15> difference = sum - Int<14>(c);
  return Int<18>(difference) + Int<17>(a - a);
}

constexpr UInt<20> products(const UInt<7>& a, const UInt<7>& b, const Int<6>& c) {
  const Int<12> square = c * c;
  return truncate<UInt<20>>(a * b + as_unsigned(square));
}

constexpr UInt<13> shifts(const UInt<13>& a, const UInt<4>& amount, const UInt<9>& far) {
  return ((a << amount) ^ (a >> far)) | (a << UInt<2>(3));
}

/// A left, a logical, an arithmetic or a rotating shift: the latter three share a shifter.
constexpr UInt<8> four_shifts(const UInt<8>& x, const UInt<3>& by, const UInt<2>& kind) {
  switch (kind.value()) {
    case 0:
      return x << by;
    case 1:
      return x >> by;
    case 2:
      return as_unsigned(as_signed(x) >> by);
    default:
      return (x >> by) | (x << truncate<UInt<3>>(UInt<4>(8) - by));
  }
}

/// An arithmetic shift beside a logical one that is used with it: two shifters.
constexpr UInt<8> two_shifts(const UInt<8>& x, const UInt<3>& by, const UInt<1>& is_signed) {
  return (is_signed[0] ? as_unsigned(as_signed(x) >> by) : x) ^ (x >> by);
}

constexpr UInt<6> comparisons(const Int<9>& a, const Int<9>& b, const UInt<9>& c) {
  const UInt<9> d = as_unsigned(b);
  return concat(concat(as_bit(a < b), as_bit(a <= b), as_bit(a == b)),
                concat(as_bit(c > d), as_bit(c >= d), as_bit(as_unsigned(a) == c)));
}

constexpr UInt<10> slices(const UInt<21>& a, const Int<11>& b) {
  return concat(slice<12, 9>(a), slice<10, 5>(b)) ^ UInt<10>(slice<20, 20>(a));
}

/// A switch, an early return and a conditional that writes.
constexpr UInt<8> branches(const UInt<3>& pick, const UInt<8>& a, const UInt<8>& b) {
  if (a == b) return UInt<8>(0xee);
  UInt<8> result = a;
  switch (pick.value()) {
    case 0:
      return b;
    case 1:
      result = a & b;
      break;
    case 2:
      result = a | b;
      [[fallthrough]];
    case 5:
      result = result ^ UInt<8>(0x55);
      break;
    default:
      break;
  }
  if (bit<7>(result) && !bit<0>(b)) result = ~result;
  return result;
}

/// Loops over local arrays; the number of ones, and of zeros before the first of them.
constexpr UInt<8> loops(const UInt<11>& a) {
  UInt<1> bits[11];
  for (int i = 0; i < 11; ++i) bits[i] = UInt<1>::from(a.value() >> i);
  UInt<4> ones;
  UInt<4> zeros;
  UInt<1> seen;
  for (int i = 0; i < 11; ++i) {
    ones = truncate<UInt<4>>(ones + bits[i]);
    seen = seen | bits[10 - i];
    zeros = truncate<UInt<4>>(zeros + UInt<1>(~seen));
  }
  return concat(ones, zeros);
}

constexpr Int<70> wide(const Int<70>& a, const UInt<66>& b, const UInt<1>& c) {
  const Int<70> other = truncate<Int<70>>(b);
  return c ? truncate<Int<70>>(a - other) : truncate<Int<70>>(a + other);
}

/// An argument that nothing depends on, of a type that nothing else has.
constexpr UInt<4> unread(const UInt<4>& a, const Int<27>& unused) {
  (void)unused;
  return ~a;
}

/// What hlsc refuses: for n of 4 or more the shift is undefined.
constexpr UInt<4> overshift(const UInt<4>& a, const UInt<3>& n) {
  return UInt<4>::from_raw(static_cast<UInt<4>::Raw>(a.raw() << n.raw()));
}

/// What hlsc accepts and a proof does not: the zeros of 0 are not defined.
constexpr UInt<4> leading_zeros(const UInt<4>& a) {
  return UInt<4>::from_raw(static_cast<UInt<4>::Raw>(__builtin_clzg(a.raw())));
}

enum class Level : std::uint8_t { kLow, kHigh, kHighest };
enum Turn { kLeft = -1, kStraight, kRight };
struct Order {
  Level level;
  bool urgent;
  UInt<5> count[2];
};

/// Enums by value and by reference, one of them signed, and a bool.
constexpr Turn modes(const Level& level, Turn turn, bool swap) {
  if (!swap) return turn;
  return level == Level::kHighest ? kLeft : turn == kLeft ? kRight : kStraight;
}

/// A struct in, a struct out.
constexpr Order records(const Order& order, UInt<5> more) {
  Order result = order;
  result.urgent = !order.urgent || order.level == Level::kHighest;
  result.count[1] = truncate<UInt<5>>(order.count[0] + more);
  return result;
}

constexpr Vec<UInt<6>, 3> lanes(const Vec<UInt<6>, 3>& in, UInt<2> by) {
  Vec<UInt<6>, 3> result = in;
  for (int i = 0; i < 3; ++i) result[i] = in[2 - i] << by;
  return result;
}

constexpr bool chosen(const UInt<7> (&from)[4], UInt<2> which) {
  return bit<3>(from[which.value()]);
}

}  // namespace systole::tests
