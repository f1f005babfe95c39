#pragma once

#include "systole/cosim/random.h"
#include "systole/hls/int.h"
#include "systole/hls/int_operators.h"
#include "systole/hls/kernel.h"
#include "systole/hls/vec.h"

// Signals as plain loops.
namespace systole::algorithms {

using namespace systole::hls;

/// cos(2 pi i / 64) and -sin(2 pi i / 64), times 2^14.
inline constexpr short kCosine[32] = {
    16384, 16305,  16069,  15679,  15137,  14449,  13623,  12665,  11585,  10394, 9102,
    7723,  6270,   4756,   3196,   1606,   0,      -1606,  -3196,  -4756,  -6270, -7723,
    -9102, -10394, -11585, -12665, -13623, -14449, -15137, -15679, -16069, -16305};
inline constexpr short kMinusSine[32] = {
    0,      -1606,  -3196,  -4756,  -6270,  -7723,  -9102,  -10394, -11585, -12665, -13623,
    -14449, -15137, -15679, -16069, -16305, -16384, -16305, -16069, -15679, -15137, -14449,
    -13623, -12665, -11585, -10394, -9102,  -7723,  -6270,  -4756,  -3196,  -1606};

/// 64 points, decimated in time, in place; each stage halves, so that nothing overflows.
inline void fft(Vec<Int<16>, 64>& real, Vec<Int<16>, 64>& imaginary) {
  for (int i = 0; i < 64; ++i) {
    const int j =
        (i & 1) << 5 | (i & 2) << 3 | (i & 4) << 1 | (i & 8) >> 1 | (i & 16) >> 3 | (i & 32) >> 5;
    if (i < j) {
      const Int<16> r = real[i];
      const Int<16> m = imaginary[i];
      real[i] = real[j];
      imaginary[i] = imaginary[j];
      real[j] = r;
      imaginary[j] = m;
    }
  }
  for (int stage = 0; stage < 6; ++stage) {
    const int half = 1 << stage;
    for (int butterfly = 0; butterfly < 32; ++butterfly) {
      const int within = butterfly & (half - 1);
      const int top = ((butterfly >> stage) << (stage + 1)) | within;
      const int bottom = top | half;
      const int twiddle = within << (5 - stage);
      const Int<16> c = Int<16>::from(kCosine[twiddle & 31]);
      const Int<16> s = Int<16>::from(kMinusSine[twiddle & 31]);
      const Int<16> br = real[bottom];
      const Int<16> bi = imaginary[bottom];
      const auto turned_real = (br * c - bi * s) >> 14;
      const auto turned_imaginary = (br * s + bi * c) >> 14;
      const Int<16> tr = real[top];
      const Int<16> ti = imaginary[top];
      real[top] = truncate<Int<16>>((tr + turned_real) >> 1);
      imaginary[top] = truncate<Int<16>>((ti + turned_imaginary) >> 1);
      real[bottom] = truncate<Int<16>>((tr - turned_real) >> 1);
      imaginary[bottom] = truncate<Int<16>>((ti - turned_imaginary) >> 1);
    }
  }
}

/// Bits of an index that are set, modulo 2.
inline int parity(int i) {
  const int two = i ^ (i >> 4) ^ (i >> 2);
  return (two ^ (two >> 1)) & 1;
}

/// The same in two banks: the two points of a butterfly differ in one bit of their index, so its
/// parity always tells them apart, and each bank is read and written once a butterfly.
inline void fft_banks(Vec<Int<16>, 64>& real, Vec<Int<16>, 64>& imaginary) {
  Vec<Int<16>, 32> even_real;
  Vec<Int<16>, 32> even_imaginary;
  Vec<Int<16>, 32> odd_real;
  Vec<Int<16>, 32> odd_imaginary;
  for (int i = 0; i < 64; ++i) {
    const int j =
        (i & 1) << 5 | (i & 2) << 3 | (i & 4) << 1 | (i & 8) >> 1 | (i & 16) >> 3 | (i & 32) >> 5;
    const Int<16> r = real[i];
    const Int<16> m = imaginary[i];
    if (parity(j) == 0) {
      even_real[j >> 1] = r;
      even_imaginary[j >> 1] = m;
    } else {
      odd_real[j >> 1] = r;
      odd_imaginary[j >> 1] = m;
    }
  }
  for (int stage = 0; stage < 6; ++stage) {
    const int half = 1 << stage;
    for (int butterfly = 0; butterfly < 32; ++butterfly) {
      const int within = butterfly & (half - 1);
      const int top = ((butterfly >> stage) << (stage + 1)) | within;
      const int bottom = top | half;
      const int twiddle = within << (5 - stage);
      const Int<16> c = Int<16>::from(kCosine[twiddle & 31]);
      const Int<16> s = Int<16>::from(kMinusSine[twiddle & 31]);
      const bool top_is_odd = parity(top) != 0;
      const int even = (top_is_odd ? bottom : top) >> 1;
      const int odd = (top_is_odd ? top : bottom) >> 1;
      const Int<16> er = even_real[even];
      const Int<16> ei = even_imaginary[even];
      const Int<16> dr = odd_real[odd];
      const Int<16> di = odd_imaginary[odd];
      const Int<16> tr = top_is_odd ? dr : er;
      const Int<16> ti = top_is_odd ? di : ei;
      const Int<16> br = top_is_odd ? er : dr;
      const Int<16> bi = top_is_odd ? ei : di;
      const auto turned_real = (br * c - bi * s) >> 14;
      const auto turned_imaginary = (br * s + bi * c) >> 14;
      const Int<16> sum_real = truncate<Int<16>>((tr + turned_real) >> 1);
      const Int<16> sum_imaginary = truncate<Int<16>>((ti + turned_imaginary) >> 1);
      const Int<16> rest_real = truncate<Int<16>>((tr - turned_real) >> 1);
      const Int<16> rest_imaginary = truncate<Int<16>>((ti - turned_imaginary) >> 1);
      even_real[even] = top_is_odd ? rest_real : sum_real;
      even_imaginary[even] = top_is_odd ? rest_imaginary : sum_imaginary;
      odd_real[odd] = top_is_odd ? sum_real : rest_real;
      odd_imaginary[odd] = top_is_odd ? sum_imaginary : rest_imaginary;
    }
  }
  for (int i = 0; i < 64; ++i) {
    real[i] = parity(i) != 0 ? odd_real[i >> 1] : even_real[i >> 1];
    imaginary[i] = parity(i) != 0 ? odd_imaginary[i >> 1] : even_imaginary[i >> 1];
  }
}

/// cos(pi (2 x + 1) u / 16), times 2^12, with the first row scaled by 1 / sqrt(2).
inline constexpr short kDct[8][8] = {{1448, 1448, 1448, 1448, 1448, 1448, 1448, 1448},
                                     {2009, 1703, 1138, 400, -400, -1138, -1703, -2009},
                                     {1892, 784, -784, -1892, -1892, -784, 784, 1892},
                                     {1703, -400, -2009, -1138, 1138, 2009, 400, -1703},
                                     {1448, -1448, -1448, 1448, 1448, -1448, -1448, 1448},
                                     {1138, -2009, 400, 1703, -1703, -400, 2009, -1138},
                                     {784, -1892, 1892, -784, -784, 1892, -1892, 784},
                                     {400, -1138, 1703, -2009, 2009, -1703, 1138, -400}};

/// The inverse cosine transform of a block of 8 x 8, rows and then columns.
inline void inverse_dct(const Vec<Vec<Int<12>, 8>, 8>& coefficient,
                        Vec<Vec<UInt<8>, 8>, 8>& pixel) {
  Vec<Vec<Int<16>, 8>, 8> rows;
  for (int v = 0; v < 8; ++v) {
    for (int x = 0; x < 8; ++x) {
      Int<28> sum = 0;
      for (int u = 0; u < 8; ++u) sum += coefficient[v][u] * Int<13>::from(kDct[u][x]);
      rows[v][x] = truncate<Int<16>>(sum >> 12);
    }
  }
  for (int x = 0; x < 8; ++x) {
    for (int y = 0; y < 8; ++y) {
      Int<32> sum = 0;
      for (int v = 0; v < 8; ++v) sum += rows[v][x] * Int<13>::from(kDct[v][y]);
      const auto level = (sum >> 12) + Int<9>(128);
      pixel[y][x] = level < 0 ? UInt<8>(0) : level > 255 ? UInt<8>(255) : truncate<UInt<8>>(level);
    }
  }
}

inline constexpr short kStep[89] = {
    7,     8,     9,     10,    11,    12,    13,    14,    16,    17,    19,   21,    23,
    25,    28,    31,    34,    37,    41,    45,    50,    55,    60,    66,   73,    80,
    88,    97,    107,   118,   130,   143,   157,   173,   190,   209,   230,  253,   279,
    307,   337,   371,   408,   449,   494,   544,   598,   658,   724,   796,  876,   963,
    1060,  1166,  1282,  1411,  1552,  1707,  1878,  2066,  2272,  2499,  2749, 3024,  3327,
    3660,  4026,  4428,  4871,  5358,  5894,  6484,  7132,  7845,  8630,  9493, 10442, 11487,
    12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767};

/// IMA ADPCM: 16-bit samples to 4 bits each.
inline void adpcm_encode(const Vec<Int<16>, 64>& samples, Vec<UInt<4>, 64>& codes) {
  Int<18> predicted = 0;
  UInt<7> index = 0;
  for (int i = 0; i < 64; ++i) {
    const UInt<15> step = UInt<15>::from(static_cast<std::uint64_t>(kStep[index.value()]));
    const auto difference = samples[i] - predicted;
    const bool negative = difference < 0;
    UInt<19> left = truncate<UInt<19>>(negative ? -difference : difference);
    UInt<17> change = truncate<UInt<17>>(step >> 3);
    UInt<4> code = negative ? UInt<4>(8) : UInt<4>(0);
    if (left >= step) {
      code |= UInt<4>(4);
      left = truncate<UInt<19>>(left - step);
      change += step;
    }
    if (left >= (step >> 1)) {
      code |= UInt<4>(2);
      left = truncate<UInt<19>>(left - (step >> 1));
      change += step >> 1;
    }
    if (left >= (step >> 2)) {
      code |= UInt<4>(1);
      change += step >> 2;
    }
    Int<19> next = truncate<Int<19>>(negative ? predicted - change : predicted + change);
    if (next > 32767) next = 32767;
    if (next < -32768) next = -32768;
    predicted = truncate<Int<18>>(next);
    const UInt<3> size = truncate<UInt<3>>(code);
    Int<9> moved = truncate<Int<9>>(index - UInt<1>(1));
    if (size >= 4) moved = truncate<Int<9>>(index + UInt<4>::from((size.value() - 3) * 2));
    if (moved < 0) moved = 0;
    if (moved > 88) moved = 88;
    index = truncate<UInt<7>>(moved);
    codes[i] = code;
  }
}

/// The autocorrelation of a frame with nine lags, as GSM's linear prediction starts.
inline void gsm_autocorrelation(const Vec<Int<16>, 160>& samples, Vec<Int<40>, 9>& correlation) {
  for (int lag = 0; lag < 9; ++lag) {
    Int<40> sum = 0;
    for (int i = lag; i < 160; ++i) sum += samples[i] * samples[i - lag];
    correlation[lag] = sum;
  }
}

inline UInt<1> parity(UInt<3> bits) { return truncate<UInt<1>>(bits ^ (bits >> 1) ^ (bits >> 2)); }

/// The most likely bits behind a rate 1/2 code of four states (polynomials 7 and 5).
inline void viterbi(const Vec<UInt<2>, 64>& received, Vec<UInt<1>, 64>& decoded) {
  UInt<8> metric[4] = {0, 100, 100, 100};
  Vec<UInt<4>, 64> survivors;
  for (int t = 0; t < 64; ++t) {
    const UInt<2> symbol = received[t];
    UInt<8> next[4] = {};
    UInt<4> chosen = 0;
    for (int state = 0; state < 4; ++state) {
      unroll();
      UInt<8> best = 255;
      for (int bit = 0; bit < 2; ++bit) {
        unroll();
        const int before = ((state << 1) | bit) & 3;
        const UInt<3> window = UInt<3>::from(static_cast<std::uint64_t>((state << 1) | bit));
        const UInt<1> high = parity(window);
        const UInt<1> low = parity(window & UInt<3>(5));
        const auto distance =
            (truncate<UInt<1>>(symbol >> 1) ^ high) + (truncate<UInt<1>>(symbol) ^ low);
        const auto cost = metric[before] + distance;
        if (cost < best) {
          best = truncate<UInt<8>>(cost);
          chosen[state] = bit != 0;
        }
      }
      next[state] = best;
    }
    UInt<8> least = next[0];
    for (int state = 1; state < 4; ++state) {
      unroll();
      if (next[state] < least) least = next[state];
    }
    for (int state = 0; state < 4; ++state) {
      unroll();
      metric[state] = truncate<UInt<8>>(next[state] - least);
    }
    survivors[t] = chosen;
  }
  UInt<2> state = 0;
  UInt<8> least = metric[0];
  for (int i = 1; i < 4; ++i) {
    unroll();
    if (metric[i] < least) {
      least = metric[i];
      state = UInt<2>::from(static_cast<std::uint64_t>(i));
    }
  }
  for (int t = 63; t >= 0; --t) {
    decoded[t] = truncate<UInt<1>>(state >> 1);
    const UInt<4> chosen = survivors[t];
    const UInt<1> bit = truncate<UInt<1>>(chosen >> state);
    state = truncate<UInt<2>>((state << UInt<1>(1)) | bit);
  }
}

}  // namespace systole::algorithms
