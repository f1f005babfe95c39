#include "host/device/convert.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <vector>

namespace systole {
namespace {

float from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

// The nearest bf16 by search: the two neighbours' distances are exact in double.
std::uint16_t nearest_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto below = static_cast<std::uint16_t>(bits >> 16);  // towards zero
  const auto above = static_cast<std::uint16_t>(below + 1);
  const double to_below = std::fabs(double{value} - double{to_fp32(below)});
  // Where the next bf16 is infinity, it stands for 2^128.
  const double upper = (above & 0x7fff) == 0x7f80 ? std::copysign(std::ldexp(1.0, 128), value)
                                                  : double{to_fp32(above)};
  const double to_above = std::fabs(upper - double{value});
  if (to_below != to_above) return to_below < to_above ? below : above;
  return below % 2 == 0 ? below : above;
}

}  // namespace

TEST_CASE("every bf16 except NaNs and subnormals survives conversion to fp32 and back",
          "[convert]") {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const auto bf16 = static_cast<std::uint16_t>(bits);
    const float value = to_fp32(bf16);
    if (std::isnan(value)) {
      REQUIRE(to_bf16(value) == 0x7fc0);
    } else if (std::fpclassify(value) == FP_SUBNORMAL) {
      REQUIRE(to_bf16(value) == (bf16 & 0x8000));
    } else {
      REQUIRE(to_bf16(value) == bf16);
    }
  }
}

TEST_CASE("fp32 to bf16 rounds to nearest, ties to even, in every binade", "[convert]") {
  // Around each bf16 of a few mantissas: the value, its tie, and one fp32 step to either side.
  for (std::uint32_t exponent = 1; exponent < 255; ++exponent) {
    for (const std::uint32_t mantissa : {0x00U, 0x01U, 0x02U, 0x3fU, 0x7eU, 0x7fU}) {
      for (const std::uint32_t low : {0x0000U, 0x0001U, 0x7fffU, 0x8000U, 0x8001U, 0xffffU}) {
        for (const std::uint32_t sign : {0U, 1U}) {
          const std::uint32_t bits = sign << 31 | exponent << 23 | mantissa << 16 | low;
          INFO("fp32 bits " << std::hex << bits);
          REQUIRE(to_bf16(from_bits(bits)) == nearest_bf16(from_bits(bits)));
        }
      }
    }
  }
}

TEST_CASE("fp32 to bf16 treats special values as numerics.md says", "[convert]") {
  CHECK(to_bf16(0.0F) == 0x0000);
  CHECK(to_bf16(-0.0F) == 0x8000);
  CHECK(to_bf16(std::numeric_limits<float>::infinity()) == 0x7f80);
  CHECK(to_bf16(-std::numeric_limits<float>::infinity()) == 0xff80);
  CHECK(to_bf16(std::numeric_limits<float>::max()) == 0x7f80);
  CHECK(to_bf16(from_bits(0x7f7f'7fff)) == 0x7f7f);
  CHECK(to_bf16(from_bits(0x7f80'0001)) == 0x7fc0);  // the NaN nearest to infinity
  CHECK(to_bf16(from_bits(0xffff'ffff)) == 0x7fc0);
  CHECK(to_bf16(from_bits(0x007f'ffff)) == 0x0000);  // the largest subnormal
  CHECK(to_bf16(from_bits(0x8000'0001)) == 0x8000);
  CHECK(to_bf16(from_bits(0x0080'0000)) == 0x0080);  // the smallest normal
}

TEST_CASE("converting spans is converting their elements", "[convert]") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{15}, std::size_t{16},
                                 std::size_t{17}, std::size_t{33}, std::size_t{1000}}) {
    std::vector<float> source(size);
    for (std::size_t i = 0; i < size; ++i) {
      source[i] = from_bits(static_cast<std::uint32_t>(i) * 0x9e37'79b9U);
    }
    std::vector<std::uint16_t> bf16(size);
    std::vector<float> back(size);
    convert_to_bf16(source, bf16);
    convert_to_fp32(bf16, back);
    for (std::size_t i = 0; i < size; ++i) {
      REQUIRE(bf16[i] == to_bf16(source[i]));
      REQUIRE(std::bit_cast<std::uint32_t>(back[i]) == std::uint32_t{bf16[i]} << 16);
    }
  }
}

TEST_CASE("converting spans refuses different sizes", "[convert]") {
  std::vector<float> wide(3);
  std::vector<std::uint16_t> narrow(2);
  CHECK_THROWS_WITH(convert_to_bf16(wide, narrow), Catch::Contains("3 elements into 2"));
  CHECK_THROWS_WITH(convert_to_fp32(narrow, wide), Catch::Contains("2 elements into 3"));
}

}  // namespace systole
