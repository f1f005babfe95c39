// The conversions of hls/kernels/convert.h against their oracles and against the host.

#include "hls/reference/convert.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <vector>

#include "hls/kernels/convert.h"
#include "hls/reference/fp32.h"
#include "tests/support/arithmetic_cases.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using namespace systole::hls;

constexpr int kRandomCases = 1'000'000;
constexpr std::uint64_t kSeed = 0x5eed'0041;

Fp32 fp32(std::uint32_t bits) { return Fp32::from_bits(UInt32::from(bits)); }

std::uint16_t nearest(std::uint32_t bits) {
  return static_cast<std::uint16_t>(kernels::fp32_to_bf16(fp32(bits)).bits().value());
}

std::uint16_t stochastic(std::uint32_t bits, std::uint32_t random) {
  const Bf16 rounded = kernels::fp32_to_bf16_stochastic(fp32(bits), UInt16::from(random));
  return static_cast<std::uint16_t>(rounded.bits().value());
}

std::uint32_t from_int32(std::int32_t value) {
  return static_cast<std::uint32_t>(kernels::int32_to_fp32(Int32::from(value)).bits().value());
}

std::uint32_t step(std::uint32_t state) {
  return static_cast<std::uint32_t>(kernels::random_step(UInt32::from(state)).value());
}

TEST_CASE("fp32_to_bf16 matches the oracle for every upper half with every kind of lower one",
          "[convert]") {
  std::uint64_t wrong = 0;
  for (std::uint32_t upper = 0; upper < 0x10000; ++upper) {
    for (const std::uint32_t lower :
         {0x0000u, 0x0001u, 0x4000u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      const std::uint32_t bits = upper << 16 | lower;
      wrong += nearest(bits) != reference::fp32_to_bf16(bits);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("fp32_to_bf16_stochastic matches the oracle on special and random values", "[convert]") {
  INFO("seed " << kSeed);
  Random random(kSeed);
  std::uint64_t wrong = 0;
  const auto compare = [&](std::uint32_t bits, std::uint16_t by) {
    wrong += stochastic(bits, by) != reference::fp32_to_bf16_stochastic(bits, by);
  };
  for (const std::uint32_t bits : special_fp32()) {
    for (const std::uint32_t by : {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0xffffu}) {
      compare(bits, static_cast<std::uint16_t>(by));
    }
  }
  for (int i = 0; i < kRandomCases; ++i) compare(random.bits32(), random.bits16());
  CHECK(wrong == 0);
}

TEST_CASE("stochastic rounding goes up with a probability equal to the dropped fraction",
          "[convert]") {
  for (const std::uint32_t lower : {0x0000u, 0x0001u, 0x4000u, 0x8000u, 0xffffu}) {
    std::uint32_t ups = 0;
    for (std::uint32_t random = 0; random < 0x10000; ++random) {
      ups += stochastic(0xbf800000 | lower, random) == 0xbf81;
    }
    CHECK(ups == lower);
  }
}

TEST_CASE(
    "stochastic rounding leaves infinities and exact bf16 values alone, whatever the random number",
    "[convert]") {
  for (const std::uint32_t bits : {0x7f800000u, 0xff800000u, 0x3f810000u, 0x00800000u}) {
    CHECK(stochastic(bits, 0xffff) == bits >> 16);
  }
  CHECK(stochastic(0x007fffff, 0xffff) == 0);       // a subnormal is a zero
  CHECK(stochastic(0x7f7f0001, 0xffff) == 0x7f80);  // past the largest
}

TEST_CASE("bf16_to_fp32 matches the oracle for every bf16", "[convert]") {
  std::uint64_t wrong = 0;
  for (std::uint32_t i = 0; i < 0x10000; ++i) {
    const Fp32 wide = kernels::bf16_to_fp32(Bf16::from_bits(UInt16::from(i)));
    wrong += wide.bits().value() != reference::bf16_to_fp32(static_cast<std::uint16_t>(i));
  }
  CHECK(wrong == 0);
}

TEST_CASE("int32_to_fp32 matches the oracle and the host around every power of two", "[convert]") {
  std::uint64_t wrong = 0;
  const auto compare = [&](std::int64_t wide) {
    const auto value = static_cast<std::int32_t>(wide);
    const auto host = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    wrong += from_int32(value) != host || host != reference::int32_to_fp32(value);
  };
  for (int power = 0; power < 32; ++power) {
    for (int half = 0; half < 32; ++half) {
      for (int near = -2; near <= 2; ++near) {
        const std::int64_t value = (std::int64_t{1} << power) + (std::int64_t{1} << half) + near;
        compare(value);
        compare(-value);
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(from_int32(0) == 0);
  CHECK(from_int32(INT32_MIN) == 0xcf000000);
}

TEST_CASE("int32_to_fp32 matches the host on random integers of every length", "[convert]") {
  INFO("seed " << kSeed);
  Random random(kSeed);
  std::uint64_t wrong = 0;
  for (int i = 0; i < kRandomCases; ++i) {
    const auto value = static_cast<std::int32_t>(random.bits32()) >> random.below(32);
    wrong += from_int32(value) != std::bit_cast<std::uint32_t>(static_cast<float>(value));
  }
  CHECK(wrong == 0);
}

TEST_CASE("random_step matches the oracle along its sequence", "[convert]") {
  std::uint32_t state = 1;
  std::uint64_t wrong = 0;
  for (int i = 0; i < kRandomCases; ++i) {
    const std::uint32_t next = step(state);
    wrong += next != reference::random_step(state);
    state = next;
  }
  CHECK(wrong == 0);
}

// random_step is linear over bits, so it is a matrix: one column for each bit of the state.
using Matrix = std::vector<std::uint32_t>;

std::uint32_t times(const Matrix& matrix, std::uint32_t state) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < 32; ++i) sum ^= (state >> i & 1) != 0 ? matrix[i] : 0;
  return sum;
}

Matrix power(Matrix base, std::uint64_t exponent) {
  const auto multiply = [](const Matrix& a, const Matrix& b) {
    Matrix product;
    for (const std::uint32_t column : b) product.push_back(times(a, column));
    return product;
  };
  Matrix result;
  for (int i = 0; i < 32; ++i) result.push_back(1u << i);
  for (; exponent != 0; exponent /= 2, base = multiply(base, base)) {
    if (exponent % 2 != 0) result = multiply(result, base);
  }
  return result;
}

TEST_CASE("random_step visits every state but 0 before it repeats one", "[convert]") {
  Matrix matrix;
  for (int i = 0; i < 32; ++i) matrix.push_back(step(1u << i));
  CHECK(step(0x12345678) == times(matrix, 0x12345678));
  const Matrix identity = power(matrix, 0);
  constexpr std::uint64_t kPeriod = 0xffffffff;
  CHECK(power(matrix, kPeriod) == identity);
  for (const std::uint64_t prime : {3, 5, 17, 257, 65537}) {
    INFO("period divided by " << prime);
    CHECK(power(matrix, kPeriod / prime) != identity);
  }
}

TEST_CASE("random_step's low halves are spread evenly", "[convert]") {
  std::vector<int> seen(256);
  std::uint32_t state = 0x5eed;
  constexpr int kDraws = 256'000;
  for (int i = 0; i < kDraws; ++i) {
    state = step(state);
    ++seen[state >> 8 & 0xff];
  }
  double chi_squared = 0;  // 255 degrees of freedom: 99.99% of true random draws stay below 347
  for (const int count : seen) chi_squared += (count - 1000.0) * (count - 1000.0) / 1000.0;
  CHECK(chi_squared < 347);
}

}  // namespace
}  // namespace systole::tests
