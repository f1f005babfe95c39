// int32 and fp32 to int8: hls/kernels/requantize.h against its oracles.

#include "hls/kernels/requantize.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "hls/reference/convert.h"
#include "tests/support/arithmetic_cases.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using namespace systole::hls;

constexpr int kRandomCases = 1'000'000;
constexpr std::uint64_t kSeed = 0x5eed'0042;

int kernel_requantize(std::int32_t sum, std::uint32_t scale, int shift) {
  return static_cast<int>(kernels::requantize(Int32::from(sum), UInt16::from(scale),
                                              UInt<5>::from(static_cast<std::uint64_t>(shift)))
                              .value());
}

int kernel_quantize(std::uint32_t value, std::uint32_t scale) {
  return static_cast<int>(
      kernels::quantize(Fp32::from_bits(UInt32::from(value)), Bf16::from_bits(UInt16::from(scale)))
          .value());
}

int quantize(float value, float scale) {
  return static_cast<int>(kernels::quantize(Fp32::from(value), Bf16::from(scale)).value());
}

TEST_CASE("requantize matches the oracle on sums, scales and shifts at the ends of their ranges",
          "[requantize]") {
  std::uint64_t wrong = 0;
  for (const std::int32_t sum : {0,          1,
                                 -1,         2,
                                 -2,         127,
                                 128,        129,
                                 -127,       -128,
                                 -129,       255,
                                 256,        -256,
                                 0x12345678, -0x12345678,
                                 INT32_MAX,  INT32_MAX - 1,
                                 INT32_MIN,  INT32_MIN + 1}) {
    for (const unsigned bits : {0u, 1u, 2u, 3u, 0x7fffu, 0x8000u, 0x8001u, 0xfffeu, 0xffffu}) {
      const auto scale = static_cast<std::uint16_t>(bits);
      for (int shift = 0; shift < 32; ++shift) {
        wrong += kernel_requantize(sum, scale, shift) != reference::requantize(sum, scale, shift);
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("requantize matches the oracle on random sums, in and out of range", "[requantize]") {
  INFO("seed " << kSeed);
  Random random(kSeed);
  std::uint64_t wrong = 0;
  std::uint64_t in_range = 0;
  for (int i = 0; i < kRandomCases; ++i) {
    const auto sum = static_cast<std::int32_t>(random.bits32()) >> random.below(32);
    const std::uint16_t scale = random.bits16();
    const int shift = random.between(0, 31);
    const int expected = reference::requantize(sum, scale, shift);
    wrong += kernel_requantize(sum, scale, shift) != expected;
    in_range += expected != -128 && expected != 127 && expected != 0;
  }
  CHECK(wrong == 0);
  CHECK(in_range > kRandomCases / 10);
}

TEST_CASE("requantize rounds halves upward", "[requantize]") {
  CHECK(kernel_requantize(1, 1, 1) == 1);
  CHECK(kernel_requantize(-1, 1, 1) == 0);
  CHECK(kernel_requantize(-3, 1, 1) == -1);
  CHECK(kernel_requantize(3, 1, 2) == 1);
  CHECK(kernel_requantize(-3, 1, 2) == -1);
}

TEST_CASE("requantize saturates at -128 and 127", "[requantize]") {
  CHECK(kernel_requantize(127, 1, 0) == 127);
  CHECK(kernel_requantize(128, 1, 0) == 127);
  CHECK(kernel_requantize(-128, 1, 0) == -128);
  CHECK(kernel_requantize(-129, 1, 0) == -128);
  CHECK(kernel_requantize(INT32_MAX, 0xffff, 0) == 127);
  CHECK(kernel_requantize(INT32_MIN, 0xffff, 0) == -128);
}

TEST_CASE("quantize matches the oracle on every pair of special values", "[quantize]") {
  std::uint64_t wrong = 0;
  for (const std::uint32_t value : special_fp32()) {
    for (const std::uint16_t scale : special_bf16()) {
      wrong += kernel_quantize(value, scale) != reference::quantize(value, scale);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("quantize matches the oracle on random values around the range of int8", "[quantize]") {
  INFO("seed " << kSeed);
  Random random(kSeed);
  std::uint64_t wrong = 0;
  std::uint64_t in_range = 0;
  for (int i = 0; i < kRandomCases; ++i) {
    const auto scale_exponent = static_cast<std::uint32_t>(random.between(1, 254));
    const std::uint16_t scale =
        static_cast<std::uint16_t>((random.bits16() & 0x807fu) | scale_exponent << 7);
    const int wanted = 254 - static_cast<int>(scale_exponent) + random.between(-4, 9);
    const auto value_exponent = static_cast<std::uint32_t>(std::clamp(wanted, 0, 255));
    // Few ones in the fraction, so that products lie exactly at halves.
    const std::uint32_t fraction =
        random.below(2) == 0 ? random.bits32() : random.bits32() << random.between(0, 22);
    const std::uint32_t value =
        (random.bits32() & 0x80000000) | value_exponent << 23 | (fraction & 0x7fffff);
    const int expected = reference::quantize(value, scale);
    wrong += kernel_quantize(value, scale) != expected;
    in_range += expected != -128 && expected != 127 && expected != 0;
  }
  CHECK(wrong == 0);
  CHECK(in_range > kRandomCases / 4);
}

TEST_CASE("quantize rounds halves upward, on both sides of zero", "[quantize]") {
  CHECK(quantize(0.5f, 1) == 1);
  CHECK(quantize(-0.5f, 1) == 0);
  CHECK(quantize(-0.50001f, 1) == -1);
  CHECK(quantize(1.5f, 1) == 2);
  CHECK(quantize(-1.5f, 1) == -1);
  CHECK(quantize(-126.5f, -1) == 127);
  CHECK(quantize(-3, 0.5f) == -1);
}

TEST_CASE("quantize saturates large products and infinities, and turns NaN into 0", "[quantize]") {
  CHECK(quantize(127.5f, 1) == 127);
  CHECK(quantize(-128.5f, 1) == -128);
  CHECK(quantize(3e38f, 3e38f) == 127);
  CHECK(quantize(-3e38f, 3e38f) == -128);
  CHECK(kernel_quantize(0xff800000, 0x3f80) == -128);
  CHECK(kernel_quantize(0x7f800000, 0x0000) == 0);
  CHECK(kernel_quantize(0x7fc00000, 0x3f80) == 0);
  CHECK(kernel_quantize(0x3f800000, 0x7fc0) == 0);
}

}  // namespace
}  // namespace systole::tests
