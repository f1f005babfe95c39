#pragma once

#include "ap_int.h"

struct QuotientAndRemainder {
  ap_int<10> quotient;
  ap_int<5> remainder;
  ap_uint<9> tenth;
};

/// A division by a variable, and one by a constant.
inline QuotientAndRemainder divide(ap_int<9> a, ap_int<5> b) {
  QuotientAndRemainder out;
  out.quotient = a / b;
  out.remainder = a % b;
  out.tenth = ap_uint<9>(a) / 10;
  return out;
}
