#pragma once

#include "ap_int.h"

/// The CRC-32 of Ethernet, a byte at a time, the low bit first.
inline ap_uint<32> crc32_step(ap_uint<32> crc, ap_uint<8> data) {
  ap_uint<32> next = crc ^ data;
  for (int i = 0; i < 8; i++) {
    ap_uint<1> low = next[0];
    next = next >> 1;
    if (low == 1) next ^= 0xEDB88320u;
  }
  return next;
}
