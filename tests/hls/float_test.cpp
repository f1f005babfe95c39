// The floating-point patterns of the type layer.

#include "systole/hls/float.h"

#include <catch2/catch.hpp>
#include <type_traits>

namespace systole::tests {
namespace {

using namespace systole::hls;

TEST_CASE("the fields of a float are its bits", "[float]") {
  const Fp32 value = Fp32::from_bits(UInt32(0xc0490fdb));
  CHECK(value.sign().value() == 1);
  CHECK(value.exponent().value() == 0x80);
  CHECK(value.fraction().value() == 0x490fdb);
  const Fp32 again = Fp32::from_fields(value.sign(), value.exponent(), value.fraction());
  CHECK(again.bits().value() == 0xc0490fdb);
  STATIC_REQUIRE(Fp32::kWidth == 32);
  STATIC_REQUIRE(Bf16::kWidth == 16);
}

TEST_CASE("a float tells zeros, infinities and NaNs apart", "[float]") {
  const auto bf16 = [](unsigned bits) { return Bf16::from_bits(UInt16::from(bits)); };
  CHECK(bf16(0x8000).is_zero());
  CHECK(bf16(0x007f).is_zero());
  CHECK_FALSE(bf16(0x0080).is_zero());
  CHECK(bf16(0xff80).is_infinite());
  CHECK_FALSE(bf16(0xff80).is_nan());
  CHECK(bf16(0x7f81).is_nan());
  CHECK_FALSE(bf16(0x7f81).is_infinite());
  CHECK_FALSE(bf16(0x7f7f).is_special());
}

TEST_CASE("host floats convert in and out unchanged", "[float]") {
  for (const float host : {0.0f, -1.5f, 3.14159274f, 1e-40f}) {
    CHECK(Fp32::from(host).value() == host);
  }
  CHECK(Bf16::from(1.5f).bits().value() == 0x3fc0);
  CHECK(Bf16::from(3.14159274f).value() == 3.140625f);  // what does not fit is cut off
}

TEST_CASE("floats and integers do not convert into each other", "[float]") {
  STATIC_REQUIRE_FALSE(std::is_convertible_v<Fp32, UInt32>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<UInt32, Fp32>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<Bf16, Fp32>);
}

}  // namespace
}  // namespace systole::tests
