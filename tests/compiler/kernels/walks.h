#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <optional>

#include "systole/hls/int.h"
#include "systole/hls/kernel.h"
#include "systole/hls/thread.h"
#include "systole/hls/vec.h"

// Elements that a range-for, a pointer or an algorithm of the standard library goes through, in
// every form of kernel; and counters of 64 bits.
namespace systole::tests {

using namespace systole::hls;

inline constexpr UInt<8> kWalkedPrimes[5] = {2, 3, 5, 7, 11};

inline UInt<12> plus(const UInt<12>& sum, const UInt<8>& x) { return truncate<UInt<12>>(sum + x); }

struct WalkedResult {
  UInt<12> array;
  UInt<12> table;
  UInt<12> list;
  UInt<12> lanes;
  UInt<12> backwards;
  UInt<12> behind;
  UInt<8> least;
  UInt<8> middle;
  UInt<8> copied;
  UInt<4> place;
  UInt<4> zeros;
  bool found = false;
};

inline std::optional<UInt<3>> leading_zeros(const UInt<8>& x) {
  if (x == 0) return std::nullopt;
  return UInt<3>::from(static_cast<std::uint64_t>(__builtin_clz(static_cast<unsigned>(x.value()))));
}

/// In a function.
inline WalkedResult walked(const Vec<UInt<8>, 4>& v, const UInt<8>& x) {
  WalkedResult result;
  const UInt<8> array[3] = {x, v[0], v[3]};
  for (const auto& one : array) result.array += one;
  for (const auto& one : kWalkedPrimes) {
    if (x > one) result.table += one;
  }
  for (const UInt<8>& one : {x, v[1], UInt<8>(3)}) result.list += one;
  for (const auto& one : v) result.lanes += one;
  for (const UInt<8>* p = array + 3; p > array;) {
    result.backwards += *--p;
    if (result.backwards > 300) break;
  }
  result.least = std::min({v[0], v[1], v[2], x});
  std::array<UInt<8>, 4> sorted;
  std::copy(v.begin(), v.end(), sorted.begin());
  for (int turn = 0; turn < 3; ++turn) {
    for (int i = 0; i < 3; ++i) {
      if (sorted[i + 1] < sorted[i]) std::swap(sorted[i], sorted[i + 1]);
    }
  }
  result.middle = sorted[1];
  std::array<UInt<8>, 4> turned = sorted;
  std::reverse(turned.begin(), turned.end());
  std::fill(turned.begin() + 2, turned.end(), x);
  result.copied = turned[1] ^ turned[3];
  const auto* largest = std::max_element(v.begin(), v.end());
  result.place = UInt<4>::from(static_cast<std::uint64_t>(largest - v.begin()));
  result.found = std::find(v.begin(), v.end(), x) != v.end();
  for (const auto* p = kWalkedPrimes + (v[0].value() & 3); p < std::end(kWalkedPrimes); ++p) {
    result.behind = truncate<UInt<12>>(result.behind * UInt<2>(3) + *p);
  }
  const auto zeros = leading_zeros(x);
  result.zeros = zeros.has_value() ? UInt<4>(*zeros) : UInt<4>(8);
  return result;
}

/// In a module: registers and the lanes of a port; counters of 64 bits, up and down.
struct Walked {
  struct Inputs {
    UInt<8> x[4];
    UInt<2> what;
  };
  struct Outputs {
    UInt<12> sum;
    UInt<8> lanes;
    UInt<8> last;
  };

  Outputs clock(const Inputs& in) {
    Outputs out;
    out.sum = std::accumulate(std::begin(kept_), std::end(kept_), UInt<12>(0), plus);
    for (const auto& lane : in.x) out.lanes ^= lane;
    out.last = delayed_[3] ^ mirrored_[1];
    for (std::size_t i = 3; i > 0; --i) delayed_[i] = delayed_[i - 1];
    delayed_[0] = in.x[0];
    for (long i = 3; i >= 0; --i) {
      if (in.what == 3) mirrored_[3 - i] = mirrored_[i] ^ in.x[1];
    }
    for (std::size_t i = 0; i < 4; ++i) {
      if (in.what != 3) mirrored_[i] = truncate<UInt<8>>(mirrored_[i] + UInt<8>::from(i * 3));
    }
    if (in.what == 1) {
      std::copy(std::begin(in.x), std::end(in.x), std::begin(kept_));
    } else if (in.what == 2) {
      for (auto& one : kept_) one = truncate<UInt<8>>(one + 1);
    }
    return out;
  }
  void reset() {
    for (auto& one : kept_) one = 0;
    for (std::size_t i = 0; i < 4; ++i) delayed_[i] = 0;
    std::fill(std::begin(mirrored_), std::end(mirrored_), UInt<8>(0));
  }

 private:
  UInt<8> kept_[4];
  UInt<8> delayed_[4];
  UInt<8> mirrored_[4];
};

/// Steps without a loop, which end where their array does.
struct Stepped {
  struct Inputs {
    UInt<8> x[3];
    UInt<8> y[2];
  };
  struct Outputs {
    UInt<8> q;
  };

  Outputs clock(const Inputs& in) {
    const Outputs out{.q = q_};
    const UInt<8>* p = in.x;
    UInt<8> sum = *p++;
    sum ^= *p++;
    sum ^= *p++;
    p = in.y;
    sum ^= *p++;
    sum ^= *p++;
    p = both_.last + 3;
    sum ^= *--p;
    sum ^= *--p;
    sum ^= *--p;
    auto* to = both_.first;
    for (const auto& one : in.x) *to++ = truncate<UInt<8>>(one + both_.last[0]);
    to = both_.last;
    *to++ = in.y[0];
    *to++ = both_.first[2];
    *to++ = in.y[1];
    q_ = sum;
    return out;
  }
  void reset() {
    auto* to = both_.last;
    *to++ = 1;
    *to++ = 2;
    *to = 3;
    q_ = 0;
  }

 private:
  struct Both {
    UInt<8> first[3];
    UInt<8> last[3];
  };
  UInt<8> q_;
  Both both_;
};

/// In a thread: between its waits, and with a wait for each element.
inline Thread walked_beats(StreamIn<Vec<UInt<8>, 3>>& from, StreamOut<UInt<12>>& to) {
  UInt<8> last[3] = {0, 0, 0};
  for (;;) {
    const Vec<UInt<8>, 3> beat = co_await from.pop();
    UInt<12> sum = 0;
    for (const auto& one : beat) sum += one;
    for (const auto& one : last) sum += one;
    std::copy(beat.begin(), beat.end(), std::begin(last));
    co_await to.push(sum);
    for (const auto& one : last) co_await to.push(std::max({UInt<12>(one), UInt<12>(9)}));
  }
}

/// In functions over arrays.
inline void walked_sum(const UInt<8> (&in)[16], UInt<12>& sum) {
  UInt<12> total = 0;
  for (const auto& one : in) total += one;
  sum = total;
}

inline void walked_copy(const UInt<8> (&in)[16], UInt<8> (&out)[16]) {
  std::copy(std::begin(in), std::end(in), std::begin(out));
  for (auto& one : out) one ^= in[2];
}

inline void walked_back(const UInt<8> (&in)[16], UInt<8>& out) {
  UInt<8> turned[16];
  for (std::size_t i = 16; i > 0; --i) turned[16 - i] = in[i - 1];
  UInt<8> most = 0;
  for (const UInt<8>* p = turned; p != turned + 16; ++p) {
    most = std::max({truncate<UInt<8>>(most + 1), *p});
  }
  out = most;
}

/// From the end, one element before it.
inline void walked_reversed(const UInt<8> (&in)[8], UInt<12>& sum) {
  UInt<8> turned[8];
  std::copy(std::begin(in), std::end(in), std::begin(turned));
  std::reverse(std::begin(turned), std::end(turned));
  UInt<12> total = 0;
  for (const UInt<8>& one : turned) total = truncate<UInt<12>>(total * UInt<2>(3) + one);
  sum = total;
}

/// Down a row of a local array of rows, whose end is the next one's start.
inline void walked_rows(const UInt<8> (&in)[8], UInt<12>& sum) {
  UInt<8> rows[3][4];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) rows[i][j] = in[(4 * i + j) % 8];
  }
  std::reverse(std::begin(rows[1]), std::end(rows[1]));
  for (UInt<8>* p = rows[2] + 4; p != rows[2];) {
    --p;
    *p = truncate<UInt<8>>(*p + rows[1][0]);
  }
  UInt<12> total = 0;
  for (const auto& row : rows) {
    for (const UInt<8>& one : row) total = truncate<UInt<12>>(total * UInt<2>(3) + one);
  }
  sum = total;
}

inline void walked_windows(const UInt<8> (&in)[16], UInt<12>& sum, UInt<8>& largest) {
  UInt<12> total = 0;
  for (int i = 0; i < 14; ++i) total += std::min({in[i], in[i + 1], in[i + 2]});
  sum = total;
  largest = *std::max_element(std::begin(in), std::end(in));
}

/// A sum whose last turns are not a whole number of copies.
inline void walked_in_copies(const Vec<UInt<8>, 16>& in, UInt<4> count, UInt<12>& sum) {
  UInt<12> total = 0;
  const int n = static_cast<int>(count.value());
  for (int i = 0; i < n; ++i) {
    unroll<2>();
    total += in[i];
  }
  sum = total;
}

// ---- A constant table, walked down from its end and from its middle ----

inline constexpr UInt<9> kWalked[8] = {211, 1, 402, 53, 304, 505, 6, 107};

inline void walked_table(const UInt<9>& first, UInt<12>& all, UInt<12>& some) {
  UInt<12> sum = first;
  for (const auto* one = std::end(kWalked); one > std::begin(kWalked);) {
    --one;
    sum = truncate<UInt<12>>(sum * UInt<2>(3) + *one);
  }
  all = sum;
  for (const auto* one = kWalked + 5; one > kWalked;) {
    --one;
    sum = truncate<UInt<12>>(sum * UInt<2>(3) + *one);
  }
  some = sum;
}

/// From a place that data names.
inline void walked_from(const UInt<3>& place, UInt<12>& behind) {
  UInt<12> sum = 0;
  for (const auto* one = kWalked + place.value(); one < std::end(kWalked); ++one) {
    sum = truncate<UInt<12>>(sum * UInt<2>(3) + *one);
  }
  behind = sum;
}

/// A std::optional that a loop carries.
inline void walked_least(const UInt<8> (&in)[16], const UInt<8>& limit, UInt<8>& least,
                         UInt<1>& found) {
  std::optional<UInt<8>> best;
  for (const auto& one : in) {
    if (one > limit && (!best || one < *best)) best = one;
  }
  found = as_bit(best.has_value());
  least = best.value_or(limit);
}

/// A std::optional that each of a loop's copies has, and one that all of them change.
inline void walked_optionals(const Vec<UInt<8>, 16>& in, const UInt<4>& count, UInt<8>& sum,
                             UInt<8>& least) {
  UInt<8> result = 0;
  std::optional<UInt<8>> best;
  for (int i = 0; i < static_cast<int>(count.value()); ++i) {
    unroll<2>();
    std::optional<UInt<3>> place;
    if (in[i] != 0) place = leading_zeros(in[i]);
    if (place.has_value()) result = truncate<UInt<8>>(result + *place);
    if (!best || in[i] < *best) best = in[i];
  }
  sum = result;
  least = best.value_or(UInt<8>(7));
}

// ---- Registers, walked down from an end that is the next member's start ----

struct WalkedDown {
  struct Inputs {
    UInt<8> x;
    UInt<2> i;
  };
  struct Outputs {
    UInt<8> q;
    UInt<8> r;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.q = q_, .r = r_[0]};
    UInt<8> sum = in.x;
    for (const UInt<8>* p = std::end(a_); p != a_;)
      sum = truncate<UInt<8>>(sum * UInt<2>(3) + *--p);
    for (UInt<8>* p = std::end(b_); p > std::begin(b_);) {
      --p;
      sum ^= *p;
      *p = sum;
    }
    q_ = sum;
    r_[1] = in.x;
    r_[0] = sum ^ r_[1];
    a_[in.i.value()] = in.x;
    return out;
  }
  void reset() {
    q_ = 0;
    for (auto& one : a_) one = 0;
    for (auto& one : b_) one = 0;
    for (auto& one : r_) one = 0;
  }
  UInt<8> a_[4];
  UInt<8> q_;
  UInt<8> b_[3];
  UInt<8> r_[2];
};

}  // namespace systole::tests
