#pragma once

#include "systole/hls/int.h"
#include "systole/hls/vec.h"

/// One round of AES of sixteen bytes whose substitution is computed, as x^254 in the field: 18,000
/// operations, and paths that no table cuts short.
namespace systole::tests {

using namespace systole::hls;

inline UInt8 doubled_byte(const UInt8& x) {
  return truncate<UInt8>(x << 1) ^ (bit<7>(x) ? UInt8(0x1b) : UInt8(0));
}

inline UInt8 field_product(UInt8 a, const UInt8& b) {
  UInt8 product = 0;
  for (int i = 0; i < 8; ++i) {
    if (b[i]) product ^= a;
    a = doubled_byte(a);
  }
  return product;
}

inline UInt8 computed_substitution(const UInt8& x) {
  UInt8 power = x;
  UInt8 inverse = 1;
  for (int i = 0; i < 7; ++i) {
    power = field_product(power, power);
    inverse = field_product(inverse, power);
  }
  UInt8 result = 0;
  for (int k = 0; k < 8; ++k) {
    result[k] = inverse[k] ^ inverse[(k + 4) % 8] ^ inverse[(k + 5) % 8] ^ inverse[(k + 6) % 8] ^
                inverse[(k + 7) % 8];
  }
  return result ^ UInt8(0x63);
}

inline Vec<UInt8, 16> aes_round(const Vec<UInt8, 16>& state, const Vec<UInt8, 16>& key) {
  Vec<UInt8, 16> substituted;
  Vec<UInt8, 16> out;
  for (int i = 0; i < 16; ++i) substituted[i] = computed_substitution(state[i]);
  for (int column = 0; column < 4; ++column) {
    for (int row = 0; row < 4; ++row) {
      const auto at = [&](int down) {
        const int r = (row + down) % 4;
        return substituted[4 * ((column + r) % 4) + r];
      };
      out[4 * column + row] =
          doubled_byte(at(0)) ^ doubled_byte(at(1)) ^ at(1) ^ at(2) ^ at(3) ^ key[4 * column + row];
    }
  }
  return out;
}

}  // namespace systole::tests
