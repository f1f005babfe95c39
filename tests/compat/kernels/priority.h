#pragma once

#include "ap_int.h"

/// How many bits are set, the highest of them, its one-hot code and the parity.
struct Bits16 {
  ap_uint<5> count;
  ap_uint<4> highest;
  ap_uint<16> one_hot;
  ap_uint<1> parity;
  ap_uint<1> any;
};

inline Bits16 priority_encoder(ap_uint<16> request) {
  Bits16 out;
  out.count = 0;
  out.highest = 0;
  out.one_hot = 0;
  for (int i = 0; i < 16; i++) {
    out.count += request[i];
    if (request[i]) out.highest = i;
  }
  out.any = request.or_reduce();
  out.parity = request.xor_reduce();
  if (out.any == 1) out.one_hot[out.highest] = 1;
  return out;
}
