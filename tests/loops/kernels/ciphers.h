#pragma once

#include "systole/hls/int.h"
#include "systole/hls/int_operators.h"
#include "systole/hls/kernel.h"
#include "systole/hls/vec.h"

// AES-128 and SHA-256 as their standards write them.
namespace systole::algorithms {

using namespace systole::hls;

inline constexpr unsigned char kSubstitute[256] = {
    0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab, 0x76,
    0xca, 0x82, 0xc9, 0x7d, 0xfa, 0x59, 0x47, 0xf0, 0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0,
    0xb7, 0xfd, 0x93, 0x26, 0x36, 0x3f, 0xf7, 0xcc, 0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15,
    0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07, 0x12, 0x80, 0xe2, 0xeb, 0x27, 0xb2, 0x75,
    0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0, 0x52, 0x3b, 0xd6, 0xb3, 0x29, 0xe3, 0x2f, 0x84,
    0x53, 0xd1, 0x00, 0xed, 0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58, 0xcf,
    0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85, 0x45, 0xf9, 0x02, 0x7f, 0x50, 0x3c, 0x9f, 0xa8,
    0x51, 0xa3, 0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5, 0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2,
    0xcd, 0x0c, 0x13, 0xec, 0x5f, 0x97, 0x44, 0x17, 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73,
    0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88, 0x46, 0xee, 0xb8, 0x14, 0xde, 0x5e, 0x0b, 0xdb,
    0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c, 0xc2, 0xd3, 0xac, 0x62, 0x91, 0x95, 0xe4, 0x79,
    0xe7, 0xc8, 0x37, 0x6d, 0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a, 0xae, 0x08,
    0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6, 0xe8, 0xdd, 0x74, 0x1f, 0x4b, 0xbd, 0x8b, 0x8a,
    0x70, 0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e, 0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e,
    0xe1, 0xf8, 0x98, 0x11, 0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf,
    0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42, 0x68, 0x41, 0x99, 0x2d, 0x0f, 0xb0, 0x54, 0xbb, 0x16};

inline UInt<8> substitute(const UInt<8>& byte) { return UInt<8>::from(kSubstitute[byte.value()]); }

/// Times x in the field of 256 elements.
inline UInt<8> doubled(const UInt<8>& byte) {
  const UInt<8> shifted = truncate<UInt<8>>(byte << UInt<1>(1));
  return byte[7] ? truncate<UInt<8>>(shifted ^ UInt<8>(0x1b)) : shifted;
}

/// FIPS 197: one block under a 128-bit key; the round keys are made on the way.
inline void aes_encrypt(const Vec<UInt<8>, 16>& key, const Vec<UInt<8>, 16>& plain,
                        Vec<UInt<8>, 16>& cipher) {
  UInt<8> round_key[16] = {};
  UInt<8> state[16] = {};
  for (int i = 0; i < 16; ++i) {
    unroll();
    round_key[i] = key[i];
    state[i] = truncate<UInt<8>>(plain[i] ^ key[i]);
  }
  UInt<8> constant = 1;
  for (int round = 1; round <= 10; ++round) {
    UInt<8> moved[16] = {};
    for (int i = 0; i < 16; ++i) {
      unroll();
      moved[i] = substitute(state[(i + 4 * (i & 3)) & 15]);
    }
    round_key[0] = round_key[0] ^ substitute(round_key[13]) ^ constant;
    round_key[1] = round_key[1] ^ substitute(round_key[14]);
    round_key[2] = round_key[2] ^ substitute(round_key[15]);
    round_key[3] = round_key[3] ^ substitute(round_key[12]);
    for (int i = 4; i < 16; ++i) {
      unroll();
      round_key[i] = round_key[i] ^ round_key[i - 4];
    }
    constant = doubled(constant);
    for (int column = 0; column < 16; column += 4) {
      unroll();
      const UInt<8> all = moved[column] ^ moved[column + 1] ^ moved[column + 2] ^ moved[column + 3];
      for (int row = 0; row < 4; ++row) {
        unroll();
        const UInt<8> byte = moved[column + row];
        const UInt<8> next = moved[column + ((row + 1) & 3)];
        const UInt<8> mixed = byte ^ all ^ doubled(byte ^ next);
        state[column + row] = (round == 10 ? byte : mixed) ^ round_key[column + row];
      }
    }
  }
  for (int i = 0; i < 16; ++i) {
    unroll();
    cipher[i] = state[i];
  }
}

inline constexpr unsigned kRoundConstant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

template <int kBy>
UInt<32> rotated(const UInt<32>& word) {
  return (word >> kBy) | truncate<UInt<32>>(word << (32 - kBy));
}

/// FIPS 180: one block of 16 words into a running hash.
inline void sha256_block(const Vec<UInt<32>, 16>& block, Vec<UInt<32>, 8>& hash) {
  UInt<32> word[16] = {};
  UInt<32> value[8] = {};
  for (int i = 0; i < 16; ++i) {
    unroll();
    word[i] = block[i];
  }
  for (int i = 0; i < 8; ++i) {
    unroll();
    value[i] = hash[i];
  }
  for (int round = 0; round < 64; ++round) {
    const UInt<32> a = value[0];
    const UInt<32> e = value[4];
    const UInt<32> big_e = rotated<6>(e) ^ rotated<11>(e) ^ rotated<25>(e);
    const UInt<32> chosen = (e & value[5]) ^ (~e & value[6]);
    const UInt<32> first = truncate<UInt<32>>(value[7] + big_e + chosen + word[0] +
                                              UInt<32>::from(kRoundConstant[round]));
    const UInt<32> big_a = rotated<2>(a) ^ rotated<13>(a) ^ rotated<22>(a);
    const UInt<32> majority = (a & value[1]) ^ (a & value[2]) ^ (value[1] & value[2]);
    const UInt<32> second = truncate<UInt<32>>(big_a + majority);
    for (int i = 7; i > 0; --i) {
      unroll();
      value[i] = value[i - 1];
    }
    value[4] = truncate<UInt<32>>(value[4] + first);
    value[0] = truncate<UInt<32>>(first + second);
    const UInt<32> small_1 = rotated<7>(word[1]) ^ rotated<18>(word[1]) ^ (word[1] >> 3);
    const UInt<32> small_14 = rotated<17>(word[14]) ^ rotated<19>(word[14]) ^ (word[14] >> 10);
    const UInt<32> extended = truncate<UInt<32>>(word[0] + small_1 + word[9] + small_14);
    for (int i = 0; i < 15; ++i) {
      unroll();
      word[i] = word[i + 1];
    }
    word[15] = extended;
  }
  for (int i = 0; i < 8; ++i) {
    unroll();
    hash[i] = truncate<UInt<32>>(hash[i] + value[i]);
  }
}

}  // namespace systole::algorithms
