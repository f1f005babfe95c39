#pragma once

#include <algorithm>

#include "systole/cosim/random.h"
#include "systole/hls/int.h"
#include "systole/hls/int_operators.h"
#include "systole/hls/kernel.h"
#include "systole/hls/vec.h"

// Linear algebra and filters as plain loops.
namespace systole::algorithms {

using namespace systole::hls;

template <typename T, int kRows, int kColumns>
using Matrix = Vec<Vec<T, kColumns>, kRows>;

inline void matrix_product(const Matrix<Int<16>, 16, 16>& a, const Matrix<Int<16>, 16, 16>& b,
                           Matrix<Int<32>, 16, 16>& c) {
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 16; ++column) {
      Int<32> sum = 0;
      for (int k = 0; k < 16; ++k) sum += a[row][k] * b[k][column];
      c[row][column] = sum;
    }
  }
}

/// y[n] = sum of h[k] x[n - k]: the taps' delay line is registers, so every sample takes a clock.
inline void fir(const Vec<Int<16>, 128>& samples, const Vec<Int<16>, 8>& taps,
                Vec<Int<35>, 128>& filtered) {
  Int<16> line[8] = {};
  Int<16> tap[8] = {};
  for (int k = 0; k < 8; ++k) {
    unroll();
    tap[k] = taps[k];
  }
  for (int n = 0; n < 128; ++n) {
    for (int k = 7; k > 0; --k) {
      unroll();
      line[k] = line[k - 1];
    }
    line[0] = samples[n];
    Int<35> sum = 0;
    for (int k = 0; k < 8; ++k) {
      unroll();
      sum += line[k] * tap[k];
    }
    filtered[n] = sum;
  }
}

/// A layer of 16 neurons with 32 inputs: a bias, products, and zero for whatever is negative.
inline void dense(const Vec<Int<8>, 32>& input, const Matrix<Int<8>, 16, 32>& weight,
                  const Vec<Int<24>, 16>& bias, Vec<UInt<23>, 16>& output) {
  for (int neuron = 0; neuron < 16; ++neuron) {
    Int<24> sum = bias[neuron];
    for (int i = 0; i < 32; ++i) sum += input[i] * weight[neuron][i];
    output[neuron] = sum < 0 ? UInt<23>(0) : truncate<UInt<23>>(sum);
  }
}

/// A matrix in compressed sparse rows, times a vector.
inline void sparse_product(const Vec<UInt<9>, 33>& row_start, const Vec<UInt<5>, 256>& column,
                           const Vec<Int<16>, 256>& value, const Vec<Int<16>, 32>& x,
                           Vec<Int<40>, 32>& y) {
  UInt<9> at = row_start[0];
  for (int row = 0; row < 32; ++row) {
    const UInt<9> end = row_start[row + 1];
    Int<40> sum = 0;
    while (at < end) {
      const int i = static_cast<int>(at.value());
      sum += value[i] * x[static_cast<int>(column[i].value())];
      at += 1;
    }
    y[row] = sum;
  }
}

inline void prepare_sparse(cosim::Random& random, Vec<UInt<9>, 33>& row_start, Vec<UInt<5>, 256>&,
                           Vec<Int<16>, 256>&, Vec<Int<16>, 32>&, Vec<Int<40>, 32>&) {
  std::uint32_t at = 0;
  for (int row = 0; row < 33; ++row) {
    row_start[row] = UInt<9>::from(at);
    at = std::min<std::uint32_t>(256, at + random.below(12));
  }
}

inline void stencil_2d(const Matrix<UInt<8>, 18, 18>& image, const Vec<Int<8>, 9>& weight,
                       Matrix<Int<20>, 16, 16>& filtered) {
  Int<8> w[9] = {};
  for (int i = 0; i < 9; ++i) {
    unroll();
    w[i] = weight[i];
  }
  for (int row = 0; row < 16; ++row) {
    for (int column = 0; column < 16; ++column) {
      Int<20> sum = 0;
      for (int i = 0; i < 3; ++i) {
        unroll();
        for (int j = 0; j < 3; ++j) {
          unroll();
          sum += image[row + i][column + j] * w[3 * i + j];
        }
      }
      filtered[row][column] = sum;
    }
  }
}

/// The same with a window of registers over rows that local memories keep: every pixel is read
/// once, and every clock has a result.
inline void stencil_2d_lines(const Matrix<UInt<8>, 18, 18>& image, const Vec<Int<8>, 9>& weight,
                             Matrix<Int<20>, 18, 18>& filtered) {
  Int<8> w[9] = {};
  for (int i = 0; i < 9; ++i) {
    unroll();
    w[i] = weight[i];
  }
  Vec<UInt<8>, 18> above;
  Vec<UInt<8>, 18> further_above;
  UInt<8> window[3][3] = {};
  for (int row = 0; row < 18; ++row) {
    for (int column = 0; column < 18; ++column) {
      for (int i = 0; i < 3; ++i) {
        unroll();
        window[i][0] = window[i][1];
        window[i][1] = window[i][2];
      }
      const UInt<8> pixel = image[row][column];
      window[0][2] = row < 2 ? UInt<8>(0) : further_above[column];
      window[1][2] = row < 1 ? UInt<8>(0) : above[column];
      window[2][2] = pixel;
      further_above[column] = window[1][2];
      above[column] = pixel;
      Int<20> sum = 0;
      for (int i = 0; i < 3; ++i) {
        unroll();
        for (int j = 0; j < 3; ++j) {
          unroll();
          sum += window[i][j] * w[3 * i + j];
        }
      }
      filtered[row][column] = sum;
    }
  }
}

inline void stencil_3d(const Vec<Matrix<Int<16>, 8, 8>, 8>& in, const Int<8>& center,
                       const Int<8>& side, Vec<Matrix<Int<28>, 8, 8>, 8>& out) {
  for (int i = 1; i < 7; ++i) {
    for (int j = 1; j < 7; ++j) {
      for (int k = 1; k < 7; ++k) {
        const auto around = in[i - 1][j][k] + in[i + 1][j][k] + in[i][j - 1][k] + in[i][j + 1][k] +
                            in[i][j][k - 1] + in[i][j][k + 1];
        out[i][j][k] = truncate<Int<28>>(in[i][j][k] * center + around * side);
      }
    }
  }
}

}  // namespace systole::algorithms
