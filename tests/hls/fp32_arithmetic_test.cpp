// fp32 of functions over arrays: hls/kernels/fp32_arithmetic.h against the kernels.

#include <bit>
#include <catch2/catch.hpp>

#include "hls/kernels/fp32_operators.h"
#include "hls/reference/mac.h"
#include "tests/support/arithmetic_cases.h"

namespace systole::tests {
namespace {

using hls::Fp32;
using hls::UInt32;

constexpr int kRandomCases = 200'000;
constexpr std::uint64_t kSeed = 0x5eed'0058;
constexpr std::uint32_t kMinusZero = 0x80000000u;

Fp32 fp32(std::uint32_t bits) { return Fp32::from_bits(UInt32::from(bits)); }
std::uint32_t bits(const Fp32& x) { return static_cast<std::uint32_t>(x.bits().value()); }

/// Whether the product is the fused multiply-add's with -0, which changes no product.
bool multiplies(std::uint32_t x, std::uint32_t y) {
  return bits(fp32(x) * fp32(y)) == bits(multiply_add(fp32(x), fp32(y), fp32(kMinusZero)));
}

TEST_CASE("an fp32 product is the fused multiply-add's on every pair of special values", "[fp32]") {
  for (const std::uint32_t x : special_fp32()) {
    for (const std::uint32_t y : special_fp32()) {
      INFO(std::hex << x << " * " << y);
      REQUIRE(multiplies(x, y));
    }
  }
}

TEST_CASE("an fp32 product is the fused multiply-add's on random values", "[fp32]") {
  INFO("seed " << kSeed);
  Random random(kSeed);
  int differences = 0;
  for (int i = 0; i < kRandomCases; ++i) {
    // Half of them with exponents whose sum is around the ends of the range.
    std::uint32_t x = random.bits32();
    std::uint32_t y = random.bits32();
    if (i % 2 == 0) {
      const std::uint32_t exponent = 1 + random.below(254);
      const std::uint32_t other = (127 + 254 * random.below(2) - exponent + random.below(5)) & 255;
      x = (x & 0x807fffffu) | exponent << 23;
      y = (y & 0x807fffffu) | other << 23;
    }
    differences += multiplies(x, y) ? 0 : 1;
  }
  CHECK(differences == 0);
}

TEST_CASE("an fp32 sum and difference are the accumulators'", "[fp32]") {
  INFO("seed " << kSeed);
  Random random(kSeed);
  for (int i = 0; i < kRandomCases; ++i) {
    const AddCase add = random_add_case(random);
    const Fp32 x = fp32(add.accumulator);
    const Fp32 y = fp32(add.tile_sum);
    REQUIRE(bits(x + y) == reference::add_fp32(add.accumulator, add.tile_sum));
    REQUIRE(bits(x - y) == reference::add_fp32(add.accumulator, add.tile_sum ^ kMinusZero));
  }
}

/// The host's, in which a subnormal is a zero.
float host(std::uint32_t x) {
  return std::bit_cast<float>((x & 0x7f800000u) == 0 ? x & kMinusZero : x);
}

TEST_CASE("fp32 numbers compare as the host's do, subnormals as zeros", "[fp32]") {
  INFO("seed " << kSeed);
  Random random(kSeed);
  const auto check = [](std::uint32_t x, std::uint32_t y) {
    INFO(std::hex << x << " and " << y);
    REQUIRE((fp32(x) < fp32(y)) == (host(x) < host(y)));
    REQUIRE((fp32(x) > fp32(y)) == (host(x) > host(y)));
    REQUIRE((fp32(x) <= fp32(y)) == (host(x) <= host(y)));
    REQUIRE((fp32(x) >= fp32(y)) == (host(x) >= host(y)));
    REQUIRE((fp32(x) == fp32(y)) == (host(x) == host(y)));
    REQUIRE((fp32(x) != fp32(y)) == (host(x) != host(y)));
  };
  for (const std::uint32_t x : special_fp32()) {
    for (const std::uint32_t y : special_fp32()) check(x, y);
  }
  for (int i = 0; i < kRandomCases; ++i) {
    const std::uint32_t x = random.bits32();
    check(x, i % 2 == 0 ? random.bits32() : x + random.below(3) - 1);
  }
}

}  // namespace
}  // namespace systole::tests
