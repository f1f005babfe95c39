#pragma once

#include "systole/hls/int.h"
#include "systole/hls/vec.h"

/// AES-128 of one block with its key schedule, as one function: 200 look-ups and 1,500
/// exclusive-ors.
namespace systole::tests {

using namespace systole::hls;

using AesState = Vec<UInt8, 16>;  ///< column by column

constexpr int twice_in_field(int x) { return (x << 1) ^ ((x & 0x80) != 0 ? 0x11b : 0); }

struct SubstitutionBox {
  UInt8 of[256];
};
/// Walks through the field by a generator and its inverse.
constexpr SubstitutionBox substitution_box() {
  SubstitutionBox box{};
  box.of[0] = UInt8::from(0x63);
  int p = 1;
  int q = 1;
  do {
    p = (p ^ twice_in_field(p)) & 0xff;
    q ^= q << 1;
    q ^= q << 2;
    q ^= q << 4;
    q &= 0xff;
    if ((q & 0x80) != 0) q ^= 0x09;
    int x = q;
    for (int turn = 1; turn <= 4; ++turn) x ^= ((q << turn) | (q >> (8 - turn))) & 0xff;
    box.of[p] = UInt8::from(static_cast<unsigned>(x ^ 0x63));
  } while (p != 1);
  return box;
}
inline constexpr SubstitutionBox kBox = substitution_box();

constexpr UInt8 substituted(const UInt8& x) { return kBox.of[x.value()]; }
constexpr UInt8 doubled(const UInt8& x) { return (x << 1) ^ (bit<7>(x) ? UInt8(0x1b) : UInt8(0)); }

constexpr AesState mixed_columns(const AesState& s) {
  AesState out{};
  for (int column = 0; column < 4; ++column) {
    for (int row = 0; row < 4; ++row) {
      const auto at = [&](int r) { return s[4 * column + r % 4]; };
      out[4 * column + row] =
          doubled(at(row)) ^ doubled(at(row + 1)) ^ at(row + 1) ^ at(row + 2) ^ at(row + 3);
    }
  }
  return out;
}

constexpr AesState next_key(const AesState& key, const UInt8& constant) {
  AesState next{};
  for (int row = 0; row < 4; ++row) {
    next[row] = key[row] ^ substituted(key[12 + (row + 1) % 4]);
  }
  next[0] ^= constant;
  for (int i = 4; i < 16; ++i) next[i] = key[i] ^ next[i - 4];
  return next;
}

constexpr AesState aes_encrypt(const AesState& block, const AesState& key) {
  AesState state{};
  AesState round_key = key;
  UInt8 constant = 1;
  for (int i = 0; i < 16; ++i) state[i] = block[i] ^ key[i];
  for (int round = 1; round <= 10; ++round) {
    AesState shifted{};
    for (int i = 0; i < 16; ++i) shifted[i] = substituted(state[(i + 4 * (i % 4)) % 16]);
    round_key = next_key(round_key, constant);
    constant = doubled(constant);
    state = round == 10 ? shifted : mixed_columns(shifted);
    for (int i = 0; i < 16; ++i) state[i] ^= round_key[i];
  }
  return state;
}

}  // namespace systole::tests
