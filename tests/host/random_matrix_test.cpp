#include "host/device/random_matrix.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <set>

#include "host/device/convert.h"
#include "host/graph/checksum.h"

namespace systole {
namespace {

template <typename T>
T element(const std::vector<std::byte>& bytes, std::int64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + static_cast<std::size_t>(index) * sizeof(T), sizeof(T));
  return value;
}

std::string checksum_of(const std::vector<std::byte>& bytes) {
  Checksum checksum;
  checksum.add(std::span<const std::byte>(bytes));
  return checksum.hex();
}

}  // namespace

TEST_CASE("a transposed random matrix holds the same elements", "[random_matrix]") {
  const RandomMatrix straight{.seed = 7, .stream = 1, .rows = 5, .cols = 9};
  RandomMatrix turned = straight;
  turned.transposed = true;
  const auto a = straight.operands(DataType::kBf16);
  const auto b = turned.operands(DataType::kBf16);
  for (std::int64_t row = 0; row < 5; ++row) {
    for (std::int64_t col = 0; col < 9; ++col) {
      CHECK(element<std::uint16_t>(a, row * 9 + col) == element<std::uint16_t>(b, col * 5 + row));
    }
  }
}

TEST_CASE("different seeds or streams give different matrices, equal ones the same",
          "[random_matrix]") {
  std::set<std::string> seen;
  for (const std::uint64_t seed : {0, 1, 2}) {
    for (const std::uint64_t stream : {0, 1, 2}) {
      const RandomMatrix matrix{.seed = seed, .stream = stream, .rows = 3, .cols = 3};
      const std::string checksum = checksum_of(matrix.operands(DataType::kInt8));
      CHECK(checksum == checksum_of(matrix.operands(DataType::kInt8)));
      seen.insert(checksum);
    }
  }
  CHECK(seen.size() == 9);
}

TEST_CASE("random floats are normal, of both signs, and fill their 16 binades", "[random_matrix]") {
  const RandomMatrix matrix{.seed = 3, .rows = 64, .cols = 64};
  const auto fp32 = matrix.operands(DataType::kFp32);
  const auto bf16 = matrix.operands(DataType::kBf16);
  std::set<int> exponents;
  bool negative = false;
  bool positive = false;
  for (std::int64_t i = 0; i < 64 * 64; ++i) {
    const float value = element<float>(fp32, i);
    REQUIRE(std::isnormal(value));
    exponents.insert(std::ilogb(value));
    (std::signbit(value) ? negative : positive) = true;
    REQUIRE(element<std::uint16_t>(bf16, i) == std::bit_cast<std::uint32_t>(value) >> 16);
  }
  CHECK(negative);
  CHECK(positive);
  CHECK(exponents.size() == 16);
  CHECK(*exponents.begin() == -8);
  CHECK(*exponents.rbegin() == 7);
}

TEST_CASE("random int8 elements reach both extremes, int32 sums stay far from theirs",
          "[random_matrix]") {
  const RandomMatrix matrix{.seed = 3, .rows = 64, .cols = 64};
  const auto operands = matrix.operands(DataType::kInt8);
  const auto sums = matrix.sums(DataType::kInt8);
  std::set<int> values;
  for (std::int64_t i = 0; i < 64 * 64; ++i) {
    values.insert(element<std::int8_t>(operands, i));
    REQUIRE(std::abs(element<std::int32_t>(sums, i)) <= 1 << 19);
  }
  CHECK(*values.begin() == -128);
  CHECK(*values.rbegin() == 127);
}

}  // namespace systole
