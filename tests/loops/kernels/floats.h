#pragma once

#include "hls/kernels/fp32_operators.h"
#include "systole/hls/float.h"
#include "systole/hls/int.h"
#include "systole/hls/int_operators.h"
#include "systole/hls/kernel.h"
#include "systole/hls/vec.h"

// Floating point and divisions as plain loops: operators that take several clocks.
namespace systole::algorithms {

using namespace systole::hls;

/// y[n] = sum of h[k] x[n - k] in fp32: every sample takes a clock, since no sum waits for another
/// iteration's.
inline void fir_fp32(const Vec<Fp32, 96>& samples, const Vec<Fp32, 4>& taps,
                     Vec<Fp32, 96>& filtered) {
  Fp32 line[4] = {};
  Fp32 tap[4] = {};
  for (int k = 0; k < 4; ++k) {
    unroll();
    tap[k] = taps[k];
  }
  for (int n = 0; n < 96; ++n) {
    for (int k = 3; k > 0; --k) {
      unroll();
      line[k] = line[k - 1];
    }
    line[0] = samples[n];
    const Fp32 first = line[0] * tap[0] + line[1] * tap[1];
    filtered[n] = first + (line[2] * tap[2] + line[3] * tap[3]);
  }
}

/// One sum of products in order: each addition waits for the one before.
inline void dot_fp32(const Vec<Fp32, 64>& a, const Vec<Fp32, 64>& b, Fp32& product) {
  Fp32 sum;
  for (int i = 0; i < 64; ++i) sum += a[i] * b[i];
  product = sum;
}

/// The greatest of a row, and how many of it are not below zero.
inline void most_fp32(const Vec<Fp32, 16>& row, Fp32& most, UInt<5>& positive) {
  Fp32 best = row[0];
  UInt<5> count = 0;
  for (int i = 0; i < 16; ++i) {
    if (best < row[i]) best = row[i];
    if (row[i] >= Fp32()) count += 1;
  }
  most = best;
  positive = count;
}

/// Mean and scaled spread of blocks of a row: divisions by a count that is known at run time.
inline void block_means(const Vec<Vec<UInt<12>, 16>, 8>& rows, const UInt<4>& count,
                        Vec<UInt<12>, 8>& mean, Vec<UInt<12>, 8>& spread) {
  const UInt<4> used = count == 0 ? UInt<4>(1) : count;
  for (int row = 0; row < 8; ++row) {
    UInt<16> sum = 0;
    UInt<12> least = UInt<12>::from(4095);
    UInt<12> most = 0;
    for (int i = 0; i < 16; ++i) {
      if (UInt<5>::from(static_cast<std::uint64_t>(i)) >= used) continue;
      const UInt<12> value = rows[row][i];
      sum += value;
      least = value < least ? value : least;
      most = value > most ? value : most;
    }
    mean[row] = truncate<UInt<12>>(sum / used);
    spread[row] = truncate<UInt<12>>(most - least) / used;
  }
}

}  // namespace systole::algorithms
