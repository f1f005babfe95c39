#pragma once

#include "ap_int.h"

typedef ap_uint<32> word_t;

struct Sha256State {
  word_t a, b, c, d, e, f, g, h;
};

template <int kAmount>
word_t rotate_right(word_t x) {
  return (x(kAmount - 1, 0), x(31, kAmount));
}

/// One round of SHA-256 on a schedule word and its constant.
inline Sha256State sha256_round(const Sha256State& s, word_t w, word_t k) {
  const word_t sigma1 = rotate_right<6>(s.e) ^ rotate_right<11>(s.e) ^ rotate_right<25>(s.e);
  const word_t choice = (s.e & s.f) ^ (~s.e & s.g);
  const word_t sum1 = s.h + sigma1 + choice + k + w;
  const word_t sigma0 = rotate_right<2>(s.a) ^ rotate_right<13>(s.a) ^ rotate_right<22>(s.a);
  const word_t majority = (s.a & s.b) ^ (s.a & s.c) ^ (s.b & s.c);
  const word_t sum0 = sigma0 + majority;
  Sha256State next;
  next.h = s.g;
  next.g = s.f;
  next.f = s.e;
  next.e = s.d + sum1;
  next.d = s.c;
  next.c = s.b;
  next.b = s.a;
  next.a = sum1 + sum0;
  return next;
}
