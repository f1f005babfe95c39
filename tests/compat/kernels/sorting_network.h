#pragma once

#include "ac_int.h"

struct Keys {
  ac_int<10, true> key[8];
};

inline void compare_and_swap(ac_int<10, true>& low, ac_int<10, true>& high) {
  if (low > high) {
    const ac_int<10, true> kept = low;
    low = high;
    high = kept;
  }
}

/// Eight signed keys in ascending order, by Batcher's odd-even merge.
inline Keys sort_eight(const Keys& in) {
  constexpr int kPairs[19][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6},
                                 {5, 7}, {1, 2}, {5, 6}, {0, 4}, {1, 5}, {2, 6}, {3, 7},
                                 {2, 4}, {3, 5}, {1, 2}, {3, 4}, {5, 6}};
  Keys out = in;
  for (int i = 0; i < 19; i++) compare_and_swap(out.key[kPairs[i][0]], out.key[kPairs[i][1]]);
  return out;
}
