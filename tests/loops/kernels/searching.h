#pragma once

#include <algorithm>

#include "systole/cosim/random.h"
#include "systole/hls/int.h"
#include "systole/hls/int_operators.h"
#include "systole/hls/kernel.h"
#include "systole/hls/vec.h"

// Sorting, graphs and sequences as plain loops.
namespace systole::algorithms {

using namespace systole::hls;

template <int kBits>
int index_of(const UInt<kBits>& value) {
  return static_cast<int>(value.value());
}

inline void histogram(const Vec<UInt<8>, 256>& values, Vec<UInt<16>, 256>& counts) {
  for (int i = 0; i < 256; ++i) counts[i] = 0;
  for (int i = 0; i < 256; ++i) counts[index_of(values[i])] += 1;
}

inline void merge_sort(Vec<UInt<16>, 64>& values) {
  Vec<UInt<16>, 64> merged;
  for (int width = 1; width < 64; width *= 2) {
    for (int start = 0; start < 64; start += 2 * width) {
      int left = start;
      int right = start + width;
      for (int to = start; to < start + 2 * width; ++to) {
        const bool has_left = left < start + width;
        const bool has_right = right < start + 2 * width;
        const UInt<16> a = values[left & 63];
        const UInt<16> b = values[right & 63];
        const bool takes_left = has_left && (!has_right || a <= b);
        merged[to] = takes_left ? a : b;
        if (takes_left) {
          ++left;
        } else {
          ++right;
        }
      }
    }
    for (int i = 0; i < 64; ++i) values[i] = merged[i];
  }
}

/// By four bits at a time, from the low ones.
inline void radix_sort(Vec<UInt<16>, 64>& values) {
  Vec<UInt<16>, 64> sorted;
  Vec<UInt<7>, 16> place;
  for (int shift = 0; shift < 16; shift += 4) {
    for (int digit = 0; digit < 16; ++digit) place[digit] = 0;
    for (int i = 0; i < 64; ++i) {
      const int digit = static_cast<int>((values[i].value() >> shift) & 15);
      place[digit] += 1;
    }
    UInt<7> sum = 0;
    for (int digit = 0; digit < 16; ++digit) {
      const UInt<7> count = place[digit];
      place[digit] = sum;
      sum += count;
    }
    for (int i = 0; i < 64; ++i) {
      const UInt<16> value = values[i];
      const int digit = static_cast<int>((value.value() >> shift) & 15);
      const UInt<7> to = place[digit];
      place[digit] = truncate<UInt<7>>(to + UInt<7>(1));
      sorted[index_of(truncate<UInt<6>>(to))] = value;
    }
    for (int i = 0; i < 64; ++i) values[i] = sorted[i];
  }
}

/// Levels of the nodes of a graph in compressed rows, from one node; 255 for those out of reach.
inline void breadth_first(const Vec<UInt<8>, 33>& edge_start, const Vec<UInt<5>, 128>& edge,
                          const UInt<5>& first, Vec<UInt<8>, 32>& level) {
  Vec<UInt<5>, 32> queue;
  for (int i = 0; i < 32; ++i) level[i] = 255;
  level[index_of(first)] = 0;
  queue[0] = first;
  UInt<6> head = 0;
  UInt<6> tail = 1;
  while (head < tail) {
    const UInt<5> node = queue[index_of(head)];
    head += 1;
    const UInt<8> next_level = truncate<UInt<8>>(level[index_of(node)] + UInt<8>(1));
    const UInt<8> end = edge_start[index_of(node) + 1];
    for (UInt<8> at = edge_start[index_of(node)]; at < end; at += 1) {
      const UInt<5> other = edge[index_of(at)];
      if (level[index_of(other)] == 255) {
        level[index_of(other)] = next_level;
        queue[index_of(tail)] = other;
        tail += 1;
      }
    }
  }
}

inline void prepare_graph(cosim::Random& random, Vec<UInt<8>, 33>& edge_start, Vec<UInt<5>, 128>&,
                          UInt<5>&, Vec<UInt<8>, 32>&) {
  std::uint32_t at = 0;
  for (int node = 0; node < 33; ++node) {
    edge_start[node] = UInt<8>::from(at);
    at = std::min<std::uint32_t>(128, at + random.below(7));
  }
}

/// The best global alignment of two sequences: matches +1, others -1.
inline void needle(const Vec<UInt<2>, 24>& a, const Vec<UInt<2>, 24>& b,
                   Vec<Vec<Int<8>, 25>, 25>& score) {
  for (int i = 0; i < 25; ++i) {
    score[0][i] = Int<8>::from(-i);
    score[i][0] = Int<8>::from(-i);
  }
  for (int i = 1; i < 25; ++i) {
    Int<8> left = Int<8>::from(-i);
    Int<8> diagonal = Int<8>::from(1 - i);
    const UInt<2> letter = a[i - 1];
    for (int j = 1; j < 25; ++j) {
      const Int<8> up = score[i - 1][j];
      const Int<8> same = letter == b[j - 1] ? truncate<Int<8>>(diagonal + Int<8>(1))
                                             : truncate<Int<8>>(diagonal - Int<8>(1));
      const Int<8> gap = truncate<Int<8>>((up > left ? up : left) - Int<8>(1));
      left = same > gap ? same : gap;
      diagonal = up;
      score[i][j] = left;
    }
  }
}

/// One step of k-means: every point to its nearest center; sums and counts of the clusters.
inline void k_means_step(const Vec<Int<12>, 64>& x, const Vec<Int<12>, 64>& y,
                         const Vec<Int<12>, 4>& center_x, const Vec<Int<12>, 4>& center_y,
                         Vec<UInt<2>, 64>& cluster, Vec<Int<20>, 4>& sum_x, Vec<Int<20>, 4>& sum_y,
                         Vec<UInt<7>, 4>& count) {
  Int<12> cx[4] = {};
  Int<12> cy[4] = {};
  Int<20> sx[4] = {};
  Int<20> sy[4] = {};
  UInt<7> members[4] = {};
  for (int c = 0; c < 4; ++c) {
    unroll();
    cx[c] = center_x[c];
    cy[c] = center_y[c];
  }
  for (int i = 0; i < 64; ++i) {
    const Int<12> px = x[i];
    const Int<12> py = y[i];
    UInt<2> best = 0;
    UInt<28> least = 0xfffffff;
    for (int c = 0; c < 4; ++c) {
      unroll();
      const auto dx = px - cx[c];
      const auto dy = py - cy[c];
      const UInt<28> distance = truncate<UInt<28>>(dx * dx + dy * dy);
      if (distance < least) {
        least = distance;
        best = UInt<2>::from(static_cast<std::uint64_t>(c));
      }
    }
    cluster[i] = best;
    for (int c = 0; c < 4; ++c) {
      unroll();
      if (best.value() == static_cast<std::uint64_t>(c)) {
        sx[c] += px;
        sy[c] += py;
        members[c] += 1;
      }
    }
  }
  for (int c = 0; c < 4; ++c) {
    unroll();
    sum_x[c] = sx[c];
    sum_y[c] = sy[c];
    count[c] = members[c];
  }
}

}  // namespace systole::algorithms
