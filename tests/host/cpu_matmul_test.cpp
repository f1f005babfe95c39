#include "host/device/cpu/cpu_matmul.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <vector>

#include "host/device/matmul.h"
#include "host/device/random_matrix.h"

namespace systole {
namespace {

template <typename T>
std::vector<T> elements(const std::vector<std::byte>& bytes) {
  std::vector<T> result(bytes.size() / sizeof(T));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(result.data()));
  return result;
}

Product shape(std::int64_t rows, std::int64_t depth, std::int64_t cols, DataType type) {
  return {.rows = rows, .depth = depth, .cols = cols, .type = type};
}

}  // namespace

TEST_CASE("int8 on cpu is exact at the deepest depth and the largest operands", "[cpu_matmul]") {
  // The sums are built from fp32 pieces, so the extremes show whether a piece was too deep.
  const Product product = shape(2, kMaxInt8Depth, 1, DataType::kInt8);
  std::vector<std::int8_t> a(static_cast<std::size_t>(2 * kMaxInt8Depth), -128);
  std::fill(a.begin() + kMaxInt8Depth, a.end(), std::int8_t{127});
  const std::vector<std::int8_t> b(static_cast<std::size_t>(kMaxInt8Depth), -128);
  std::vector<std::int32_t> c(2);
  CpuMatmul(1).int8(product, a, b, c);
  CHECK(c[0] == 131'071 * 16'384);
  CHECK(c[1] == 131'071 * -16'256);
}

TEST_CASE("int8 on cpu wraps when C is full", "[cpu_matmul]") {
  Product product = shape(1, 1, 1, DataType::kInt8);
  product.accumulate = true;
  std::vector<std::int32_t> c{2'147'483'647};
  CpuMatmul(1).int8(product, std::vector<std::int8_t>{1}, std::vector<std::int8_t>{1}, c);
  CHECK(c[0] == -2'147'483'647 - 1);
}

TEST_CASE("a product on cpu has the same bits whatever the number of threads", "[cpu_matmul]") {
  // Wide, tall and ragged, each large enough for a second thread.
  const std::vector<std::array<std::int64_t, 3>> sizes{
      {65, 129, 520}, {515, 200, 33}, {97, 784, 97}, {300, 784, 10}};
  for (const auto& [rows, depth, cols] : sizes) {
    const Product product = shape(rows, depth, cols, DataType::kFp32);
    const auto a = elements<float>(RandomMatrix{1, 0, rows, depth}.operands(DataType::kFp32));
    const auto b = elements<float>(RandomMatrix{1, 1, depth, cols}.operands(DataType::kFp32));
    std::vector<float> one(static_cast<std::size_t>(rows * cols));
    CpuMatmul(1).fp32(product, a, b, one);
    for (const int threads : {2, 3, 16}) {
      INFO(rows << " x " << depth << " x " << cols << " on " << threads << " threads");
      std::vector<float> many(one.size());
      CpuMatmul(threads).fp32(product, a, b, many);
      CHECK((many == one));  // one bool: a difference need not print 30,000 numbers
    }
  }
}

}  // namespace systole
