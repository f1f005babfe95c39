// The multiply-add of the array: hls/kernels/mac.h against its oracle and against the x86 unit.

#include "hls/reference/mac.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <string>

#include "tests/support/arithmetic_cases.h"
#include "tests/support/kernel_arithmetic.h"
#include "tests/support/x86_float.h"

namespace systole::tests {
namespace {

// 10^8 of them run in mac_campaign; these are the sample that every build takes.
constexpr int kRandomCases = 300'000;
constexpr std::uint64_t kSeed = 0x5eed'0001;

std::string show(const MacCase& mac) {
  char text[64];
  std::snprintf(text, sizeof text, "activation %04x weight %04x sum %08x", mac.activation,
                mac.weight, mac.sum);
  return text;
}

struct Disagreements {
  std::uint64_t count = 0;
  std::string first;
  void add(const MacCase& mac, const char* who) {
    if (count++ == 0) first = show(mac) + " differs from " + who;
  }
};

// Compares kernel, oracle and, where the CPU has it, vfmadd.
void compare(const MacCase& mac, bool with_x86, Disagreements& disagreements) {
  const std::uint32_t kernel = kernel_mac_bf16(mac.activation, mac.weight, mac.sum);
  if (kernel != reference::mac_bf16(mac.activation, mac.weight, mac.sum)) {
    disagreements.add(mac, "the oracle");
  }
  if (with_x86 && kernel != x86_mac_bf16(mac.activation, mac.weight, mac.sum)) {
    disagreements.add(mac, "x86 vfmadd");
  }
}

TEST_CASE("mac matches oracle and x86 on every triple of special bf16 and fp32 values", "[mac]") {
  const FlushSubnormals mode;
  const bool with_x86 = cpu_has_fma();
  Disagreements disagreements;
  for (const std::uint16_t activation : special_bf16()) {
    for (const std::uint16_t weight : special_bf16()) {
      for (const std::uint32_t sum : special_fp32()) {
        compare({activation, weight, sum}, with_x86, disagreements);
      }
    }
  }
  INFO(disagreements.first);
  CHECK(disagreements.count == 0);
}

TEST_CASE("mac matches oracle and x86 on random and nearly cancelling bf16 cases", "[mac]") {
  const FlushSubnormals mode;
  const bool with_x86 = cpu_has_fma();
  INFO("seed " << kSeed);
  Random random(kSeed);
  Disagreements disagreements;
  for (int i = 0; i < kRandomCases; ++i) compare(random_mac_case(random), with_x86, disagreements);
  INFO(disagreements.first);
  CHECK(disagreements.count == 0);
}

TEST_CASE("mac matches the oracle for every pair of bf16 products with a zero sum", "[mac]") {
  // Sixteen million pairs of significand and exponent would repeat themselves: every significand
  // pair at one exponent, and every exponent pair at one significand, cover what differs.
  Disagreements disagreements;
  for (std::uint32_t i = 0; i < 0x10000; ++i) {
    const auto high = static_cast<std::uint16_t>(i >> 8);
    const auto low = static_cast<std::uint16_t>(i & 0xff);
    const auto significands = MacCase{static_cast<std::uint16_t>(0x3f80 ^ high),
                                      static_cast<std::uint16_t>(0x3f80 ^ low), 0};
    const auto exponents = MacCase{static_cast<std::uint16_t>((high << 7) | 0x55),
                                   static_cast<std::uint16_t>((low << 7) | 0x2a), 0x80000000};
    compare(significands, false, disagreements);
    compare(exponents, false, disagreements);
  }
  INFO(disagreements.first);
  CHECK(disagreements.count == 0);
}

TEST_CASE("mac judges tininess after rounding", "[mac]") {
  const std::uint32_t smallest_normal = 0x00800000;
  const std::uint16_t two_to_minus_63 = 0x2000;
  // 2^-126 minus 2^-152 lies within half a unit of 2^-126 at 24 bits: rounded up, not flushed.
  const std::uint16_t minus_two_to_minus_89 = 0x9300;
  CHECK(kernel_mac_bf16(two_to_minus_63, minus_two_to_minus_89, smallest_normal) ==
        smallest_normal);
  // 2^-126 minus 2^-150 is representable at 24 bits with an unbounded exponent, so it is tiny,
  // although gradual underflow would have rounded it up.
  const std::uint16_t minus_two_to_minus_87 = 0x9400;
  CHECK(kernel_mac_bf16(two_to_minus_63, minus_two_to_minus_87, smallest_normal) == 0);
}

TEST_CASE("mac rounds a tie to the even neighbour", "[mac]") {
  const std::uint16_t two_to_minus_12 = 0x3980;
  CHECK(kernel_mac_bf16(two_to_minus_12, two_to_minus_12, 0x3f800000) == 0x3f800000);
  CHECK(kernel_mac_bf16(two_to_minus_12, two_to_minus_12, 0x3f800001) == 0x3f800002);
}

TEST_CASE("mac gives +0 on exact cancellation and -0 only from two negative zeros", "[mac]") {
  CHECK(kernel_mac_bf16(0x3f80, 0x3f80, 0xbf800000) == 0x00000000);
  CHECK(kernel_mac_bf16(0x8000, 0x3f80, 0x80000000) == 0x80000000);
  CHECK(kernel_mac_bf16(0x8000, 0x3f80, 0x00000000) == 0x00000000);
  CHECK(kernel_mac_bf16(0x8001, 0x3f80, 0x80000001) == 0x80000000);  // flushed to -0, both
}

TEST_CASE("mac returns the canonical NaN for every NaN input", "[mac]") {
  const std::uint16_t nans[] = {0x7f81, 0x7fff, 0xff81, 0xffc0};
  for (const std::uint16_t nan : nans) {
    CHECK(kernel_mac_bf16(nan, 0x3f80, 0) == 0x7fc00000);
    CHECK(kernel_mac_bf16(0, nan, 0) == 0x7fc00000);
  }
  CHECK(kernel_mac_bf16(0x3f80, 0x3f80, 0xffffffff) == 0x7fc00000);
  CHECK(kernel_mac_bf16(0x7f80, 0x0001, 0) == 0x7fc00000);           // infinity * flushed zero
  CHECK(kernel_mac_bf16(0x7f80, 0x3f80, 0xff800000) == 0x7fc00000);  // infinity - infinity
}

TEST_CASE("mac is exact for every pair of int8 operands", "[mac]") {
  const std::int32_t sums[] = {0, 1, -1, 0x7fffffff, INT32_MIN, 0x12345678, -16384, 16384};
  std::uint64_t wrong = 0;
  for (int activation = -128; activation <= 127; ++activation) {
    for (int weight = -128; weight <= 127; ++weight) {
      for (const std::int32_t sum : sums) {
        const auto a = static_cast<std::int8_t>(activation);
        const auto b = static_cast<std::int8_t>(weight);
        wrong += kernel_mac_int8(a, b, sum) != reference::mac_int8(a, b, sum);
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("mac ignores the high byte of an int8 operand", "[mac]") {
  using namespace systole::hls;
  const auto result = kernels::mac(UInt1(1), UInt16(0x7f05), UInt16(0xfffd), UInt32(100));
  CHECK(result.value() == 85);  // 5 * -3 + 100
}

TEST_CASE("131,071 int8 products of the largest magnitude do not overflow; one more does",
          "[mac]") {
  std::int32_t sum = 0;
  for (int k = 0; k < 131'071; ++k) sum = kernel_mac_int8(-128, -128, sum);
  CHECK(sum == 131'071 * 16'384);
  CHECK(kernel_mac_int8(-128, -128, sum) == INT32_MIN);
}

}  // namespace
}  // namespace systole::tests
