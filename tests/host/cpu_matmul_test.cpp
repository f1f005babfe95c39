#include "host/cpu/cpu_matmul.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <vector>

#include "tests/host/product_case.h"
#include "tests/support/tolerances.h"

namespace systole::tests {
namespace {

using graph::DotForm;

constexpr std::uint64_t kSeed = 20;

/// A case's operands as elements of a graph, of four bytes.
template <typename T>
std::vector<T> words(const std::vector<std::byte>& bytes, DataType type) {
  std::vector<T> result;
  for (std::size_t i = 0; i < bytes.size(); i += operand_size_bytes(type)) {
    if (type == DataType::kInt8) {
      result.push_back(static_cast<T>(static_cast<std::int8_t>(bytes[i])));
      continue;
    }
    float value;
    std::memcpy(&value, &bytes[i], sizeof value);
    result.push_back(static_cast<T>(value));
  }
  return result;
}

template <typename T>
std::vector<T> multiply(const ProductCase& product, int threads) {
  const Product& shape = product.shape;
  const DotForm form{.rows = shape.rows,
                     .depth = shape.depth,
                     .cols = shape.cols,
                     .transpose_a = shape.transpose_a,
                     .transpose_b = shape.transpose_b};
  std::vector<T> c(static_cast<std::size_t>(shape.rows * shape.cols));
  graph::multiply(form, words<T>(product.a, shape.type).data(),
                  words<T>(product.b, shape.type).data(), c.data(), threads);
  return c;
}

}  // namespace

TEST_CASE("products on cpu are within the error bounds of numerics.md", "[cpu_matmul]") {
  for (Product shape : conformance_shapes(16, kSeed)) {
    if (shape.accumulate) continue;
    if (shape.type == DataType::kBf16) shape.type = DataType::kFp32;
    const ProductCase product = make_case(shape, kSeed);
    INFO(product.text() << ", seed " << kSeed);
    const ExactProduct exact = exact_case(product);
    if (shape.type == DataType::kInt8) {
      const auto c = multiply<std::int32_t>(product, 1);
      REQUIRE(std::ranges::equal(c, exact.values));
      continue;
    }
    const auto c = multiply<float>(product, 1);
    for (std::size_t i = 0; i < c.size(); ++i) {
      REQUIRE(std::fabs(c[i] - exact.values[i]) <= kFp32MatmulTolerance * exact.magnitudes[i]);
    }
  }
}

TEST_CASE("int8 on cpu is exact at the deepest depth and the largest operands", "[cpu_matmul]") {
  // The sums are built from fp32 pieces, so the extremes show whether a piece was too deep.
  constexpr std::int64_t kDeepest = kMaxInt8Depth;
  std::vector<std::int32_t> a(static_cast<std::size_t>(2 * kDeepest), -128);
  std::fill(a.begin() + kDeepest, a.end(), 127);
  const std::vector<std::int32_t> b(static_cast<std::size_t>(kDeepest), -128);
  std::vector<std::int32_t> c(2);
  graph::multiply({.rows = 2, .depth = kDeepest, .cols = 1}, a.data(), b.data(), c.data(), 1);
  CHECK(c[0] == 131'071 * 16'384);
  CHECK(c[1] == 131'071 * -16'256);
}

TEST_CASE("int8 on cpu wraps where a sum passes int32", "[cpu_matmul]") {
  constexpr std::int64_t kDepth = kMaxInt8Depth + 1;
  const std::vector<std::int32_t> a(static_cast<std::size_t>(kDepth), -128);
  std::int32_t c = 0;
  graph::multiply({.rows = 1, .depth = kDepth, .cols = 1}, a.data(), a.data(), &c, 1);
  CHECK(c == -2'147'483'647 - 1);
}

TEST_CASE("a product on cpu has the same bits whatever the number of threads", "[cpu_matmul]") {
  // Wide, tall and ragged, each large enough for a second thread.
  const std::vector<std::array<std::int64_t, 3>> sizes{
      {65, 129, 520}, {515, 200, 33}, {97, 784, 97}, {300, 784, 10}};
  for (const auto& [rows, depth, cols] : sizes) {
    const ProductCase product =
        make_case({.rows = rows, .depth = depth, .cols = cols, .type = DataType::kFp32}, kSeed);
    const auto one = multiply<float>(product, 1);
    for (const int threads : {2, 3, 16}) {
      INFO(product.text() << " on " << threads << " threads");
      CHECK((multiply<float>(product, threads) == one));  // a difference need not print them all
    }
  }
}

}  // namespace systole::tests
