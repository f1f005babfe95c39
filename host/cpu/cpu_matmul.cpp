// Eigen multiplies with one thread here and this file splits the work, because Eigen's own switch
// for OpenMP changes inline code, and other files of a program may include Eigen without it.
#define EIGEN_DONT_PARALLELIZE
#include "host/cpu/cpu_matmul.h"

#include <Eigen/Core>
#include <algorithm>
#include <vector>

namespace systole::graph {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Strides = Eigen::OuterStride<>;
using ConstMap = Eigen::Map<const RowMajor, Eigen::Unaligned, Strides>;
using MutableMap = Eigen::Map<RowMajor, Eigen::Unaligned, Strides>;

// Below this many multiply-adds a second thread costs more than it saves.
constexpr double kMacsWorthAThread = 256 * 1024;

// int8 products summed in fp32 are exact while every sum is at most 2^24 = 1024 * 128 * 128.
constexpr std::int64_t kExactInt8Depth = 1024;

// An operand in memory as fp32: `stride` elements from one stored row to the next.
struct Operand {
  const float* data;
  std::int64_t stride;
  bool transposed;

  // Rows [row, row + rows) and columns [col, col + cols) of op(operand), as stored.
  ConstMap block(std::int64_t row, std::int64_t col, std::int64_t rows, std::int64_t cols) const {
    return transposed ? ConstMap(data + col * stride + row, cols, rows, Strides(stride))
                      : ConstMap(data + row * stride + col, rows, cols, Strides(stride));
  }
};

void multiply_block(const Operand& a, const Operand& b, const ConstMap& left, const ConstMap& right,
                    MutableMap c) {
  if (a.transposed && b.transposed) {
    c.noalias() = left.transpose() * right.transpose();
  } else if (a.transposed) {
    c.noalias() = left.transpose() * right;
  } else if (b.transposed) {
    c.noalias() = left * right.transpose();
  } else {
    c.noalias() = left * right;
  }
}

// Where a side may be cut between threads. Eigen works through C in panels of 3 vectors of columns
// and 4 rows, and a narrower panel may add in another order. Cuts between whole panels, with the
// remainder left to the last thread, keep the bits independent of the number of threads.
constexpr std::int64_t kRowGrain = 16;
constexpr std::int64_t kColGrain = 48;

std::int64_t cut(std::int64_t extent, std::int64_t grain, int part, int parts) {
  return part == parts ? extent : extent / grain * part / parts * grain;
}

// C[rows, cols] over the depth range [from, to), its longer side divided among the threads.
void multiply(const DotForm& shape, const Operand& a, const Operand& b, std::int64_t from,
              std::int64_t to, float* c, int threads) {
  const double macs = static_cast<double>(shape.rows) * static_cast<double>(shape.cols) *
                      static_cast<double>(to - from);
  const bool split_rows = shape.rows >= shape.cols;
  const std::int64_t extent = split_rows ? shape.rows : shape.cols;
  const std::int64_t grain = split_rows ? kRowGrain : kColGrain;
  const std::int64_t grains =
      macs < kMacsWorthAThread ? 1 : std::max<std::int64_t>(1, extent / grain);
  const int parts = static_cast<int>(std::min<std::int64_t>(threads, grains));
  const auto share = [&](int part) {
    const std::int64_t first = cut(extent, grain, part, parts);
    const std::int64_t count = cut(extent, grain, part + 1, parts) - first;
    const std::int64_t row = split_rows ? first : 0;
    const std::int64_t col = split_rows ? 0 : first;
    const std::int64_t rows = split_rows ? count : shape.rows;
    const std::int64_t cols = split_rows ? shape.cols : count;
    multiply_block(a, b, a.block(row, from, rows, to - from), b.block(from, col, to - from, cols),
                   MutableMap(c + row * shape.cols + col, rows, cols, Strides(shape.cols)));
  };
  if (parts == 1) return share(0);  // small products avoid OpenMP's overhead
#pragma omp parallel for num_threads(parts) schedule(static)
  for (int part = 0; part < parts; ++part) share(part);
}

Operand operand_a(const DotForm& shape, const float* data) {
  return {data, shape.transpose_a ? shape.rows : shape.depth, shape.transpose_a};
}

Operand operand_b(const DotForm& shape, const float* data) {
  return {data, shape.transpose_b ? shape.depth : shape.cols, shape.transpose_b};
}

}  // namespace

void multiply(const DotForm& form, const float* a, const float* b, float* c, int threads) {
  multiply(form, operand_a(form, a), operand_b(form, b), 0, form.depth, c, threads);
}

void multiply(const DotForm& form, const std::int32_t* a, const std::int32_t* b, std::int32_t* c,
              int threads) {
  const std::vector<float> wide_a(a, a + form.rows * form.depth);
  const std::vector<float> wide_b(b, b + form.depth * form.cols);
  std::vector<float> sums(static_cast<std::size_t>(form.rows * form.cols));
  std::fill_n(c, sums.size(), 0);
  for (std::int64_t from = 0; from < form.depth; from += kExactInt8Depth) {
    const std::int64_t to = std::min(form.depth, from + kExactInt8Depth);
    multiply(form, operand_a(form, wide_a.data()), operand_b(form, wide_b.data()), from, to,
             sums.data(), threads);
    for (std::size_t i = 0; i < sums.size(); ++i) {  // unsigned, because sums may wrap
      c[i] =
          static_cast<std::int32_t>(static_cast<std::uint32_t>(c[i]) +
                                    static_cast<std::uint32_t>(static_cast<std::int32_t>(sums[i])));
    }
  }
}

}  // namespace systole::graph
