// Eigen multiplies with one thread here and this file splits the work, because Eigen's own switch
// for OpenMP changes inline code, and other files of a program may include Eigen without it.
#define EIGEN_DONT_PARALLELIZE
#include "host/device/cpu/cpu_matmul.h"

#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <bit>

namespace systole {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Strides = Eigen::OuterStride<>;
using ConstMap = Eigen::Map<const RowMajor, Eigen::Unaligned, Strides>;
using MutableMap = Eigen::Map<RowMajor, Eigen::Unaligned, Strides>;

// Below this many multiply-adds a second thread costs more than it saves.
constexpr double kMacsWorthAThread = 256 * 1024;
constexpr std::int64_t kElementsWorthAThread = 64 * 1024;

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

template <typename Left, typename Right>
void multiply(const Left& left, const Right& right, MutableMap& c, bool accumulate) {
  if (accumulate) {
    c.noalias() += left * right;
  } else {
    c.noalias() = left * right;
  }
}

void multiply_block(const Operand& a, const Operand& b, const ConstMap& left, const ConstMap& right,
                    MutableMap c, bool accumulate) {
  if (a.transposed && b.transposed) {
    multiply(left.transpose(), right.transpose(), c, accumulate);
  } else if (a.transposed) {
    multiply(left.transpose(), right, c, accumulate);
  } else if (b.transposed) {
    multiply(left, right.transpose(), c, accumulate);
  } else {
    multiply(left, right, c, accumulate);
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
void product(const Product& shape, const Operand& a, const Operand& b, std::int64_t from,
             std::int64_t to, float* c, bool accumulate, int threads) {
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
                   MutableMap(c + row * shape.cols + col, rows, cols, Strides(shape.cols)),
                   accumulate);
  };
  if (parts == 1) return share(0);  // small products avoid OpenMP's overhead
#pragma omp parallel for num_threads(parts) schedule(static)
  for (int part = 0; part < parts; ++part) share(part);
}

Operand operand_a(const Product& shape, const float* data) {
  return {data, shape.transpose_a ? shape.rows : shape.depth, shape.transpose_a};
}

Operand operand_b(const Product& shape, const float* data) {
  return {data, shape.transpose_b ? shape.depth : shape.cols, shape.transpose_b};
}

}  // namespace

CpuMatmul::CpuMatmul(int threads) : threads_(threads) {
  // Starts the team now, so that the first product does not pay for it.
  if (threads_ > 1) {
#pragma omp parallel num_threads(threads_)
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
}

template <typename Convert, typename Source>
void CpuMatmul::widen(std::span<const Source> source, std::vector<float>& destination,
                      Convert convert) {
  destination.resize(source.size());
  const auto count = static_cast<std::int64_t>(source.size());
  const Source* from = source.data();
  float* to = destination.data();
  if (threads_ == 1 || count < kElementsWorthAThread) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = convert(from[i]);
    return;
  }
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (std::int64_t i = 0; i < count; ++i) to[i] = convert(from[i]);
}

void CpuMatmul::fp32(const Product& shape, std::span<const float> a, std::span<const float> b,
                     std::span<float> c) const {
  product(shape, operand_a(shape, a.data()), operand_b(shape, b.data()), 0, shape.depth, c.data(),
          shape.accumulate, threads_);
}

void CpuMatmul::bf16(const Product& shape, std::span<const std::uint16_t> a,
                     std::span<const std::uint16_t> b, std::span<float> c) {
  const auto convert = [](std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  };
  widen(a, a_, convert);
  widen(b, b_, convert);
  fp32(shape, a_, b_, c);
}

void CpuMatmul::int8(const Product& shape, std::span<const std::int8_t> a,
                     std::span<const std::int8_t> b, std::span<std::int32_t> c) {
  const auto convert = [](std::int8_t value) { return static_cast<float>(value); };
  widen(a, a_, convert);
  widen(b, b_, convert);
  c_.resize(c.size());
  for (std::int64_t from = 0; from < shape.depth; from += kExactInt8Depth) {
    const std::int64_t to = std::min(shape.depth, from + kExactInt8Depth);
    product(shape, operand_a(shape, a_.data()), operand_b(shape, b_.data()), from, to, c_.data(),
            false, threads_);
    const bool add = shape.accumulate || from > 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
      // Unsigned, because accumulating into a full int32 wraps, as the hardware's adder does.
      const auto before = add ? static_cast<std::uint32_t>(c[i]) : 0U;
      const auto sum = static_cast<std::uint32_t>(static_cast<std::int32_t>(c_[i]));
      c[i] = static_cast<std::int32_t>(before + sum);
    }
  }
}

}  // namespace systole
