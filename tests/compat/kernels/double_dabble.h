#pragma once

#include "ap_int.h"

/// Binary to four decimal digits: shift left, and add 3 to each digit of 5 or more before it.
inline ap_uint<16> double_dabble(ap_uint<13> binary) {
  ap_uint<29> scratch = binary;
bits:
  for (int i = 0; i < 13; i++) {
    for (int digit = 0; digit < 4; digit++) {
      if (scratch(16 + 4 * digit, 13 + 4 * digit) >= 5) {
        scratch.range(16 + 4 * digit, 13 + 4 * digit) += 3;
      }
    }
    scratch <<= 1;
  }
  return scratch.range(28, 13);
}
