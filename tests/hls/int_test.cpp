// The integers of the type layer against the host's 128-bit arithmetic.

#include "systole/hls/int.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <concepts>
#include <type_traits>

#include "tests/support/random.h"

namespace systole::tests {
namespace {

using namespace systole::hls;
using Wide = __int128;

constexpr std::uint64_t kSeed = 0x5eed'0014;
constexpr int kCases = 2000;

// Random values of T, its smallest, its largest, and zero among them.
template <typename T>
T draw(Random& random) {
  const auto lowest =
      T::kSigned ? T::from_raw(static_cast<typename T::Raw>(typename T::Raw{1} << (T::kWidth - 1)))
                 : T{};
  switch (random.below(6)) {
    case 0:
      return T{};
    case 1:
      return lowest;
    case 2:
      return T::from_raw(static_cast<typename T::Raw>(~lowest.raw()));
    default:
      return T::from_raw(static_cast<typename T::Raw>(random.bits()));
  }
}

template <typename A, typename B>
void check_exact() {
  INFO("widths " << A::kWidth << " and " << B::kWidth << ", signed " << A::kSigned << ", seed "
                 << kSeed);
  Random random(kSeed);
  int wrong = 0;
  for (int i = 0; i < kCases; ++i) {
    const A a = draw<A>(random);
    const B b = draw<B>(random);
    const auto wide_a = static_cast<Wide>(a.raw());
    const auto wide_b = static_cast<Wide>(b.raw());
    wrong += static_cast<Wide>((a + b).raw()) != wide_a + wide_b;
    wrong += static_cast<Wide>((a - b).raw()) != wide_a - wide_b;
    wrong += static_cast<Wide>((a * b).raw()) != wide_a * wide_b;
  }
  CHECK(wrong == 0);
}

TEST_CASE("sums, differences and products lose no bit at any width", "[int]") {
  check_exact<UInt<1>, UInt<1>>();
  check_exact<UInt<1>, UInt<33>>();
  check_exact<UInt<9>, UInt<9>>();
  check_exact<UInt<32>, UInt<31>>();
  check_exact<UInt<63>, UInt<60>>();
  check_exact<Int<2>, Int<2>>();
  check_exact<Int<9>, Int<9>>();
  check_exact<Int<33>, Int<7>>();
  check_exact<Int<62>, Int<64>>();
}

TEST_CASE("results are as wide as they need to be, and no wider", "[int]") {
  STATIC_REQUIRE(std::same_as<decltype(UInt<8>() + UInt<5>()), UInt<9>>);
  STATIC_REQUIRE(std::same_as<decltype(UInt<8>() - UInt<5>()), Int<9>>);
  STATIC_REQUIRE(std::same_as<decltype(UInt<8>() * UInt<5>()), UInt<13>>);
  STATIC_REQUIRE(std::same_as<decltype(Int<9>() * Int<9>()), Int<18>>);
  STATIC_REQUIRE(std::same_as<decltype(UInt<8>() & UInt<5>()), UInt<8>>);
  STATIC_REQUIRE(std::same_as<decltype(slice<7, 3>(UInt<8>())), UInt<5>>);
  STATIC_REQUIRE(std::same_as<decltype(concat(UInt<8>(), UInt<5>())), UInt<13>>);
}

TEST_CASE("a wider type takes a narrower one; the other way does not compile", "[int]") {
  STATIC_REQUIRE(std::is_convertible_v<UInt<5>, UInt<8>>);
  STATIC_REQUIRE(std::is_convertible_v<UInt<5>, Int<6>>);
  STATIC_REQUIRE(std::is_convertible_v<Int<5>, Int<6>>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<UInt<8>, UInt<5>>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<UInt<5>, Int<5>>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<Int<5>, UInt<8>>);
  CHECK(Int<9>(Int<8>(-128)).value() == -128);
  CHECK(Int<9>(UInt<8>(255)).value() == 255);
}

TEST_CASE("truncate keeps the low bits and extends by the source's sign", "[int]") {
  CHECK(truncate<UInt<4>>(UInt<8>(0xab)).value() == 0xb);
  CHECK(truncate<Int<4>>(UInt<8>(0xab)).value() == -5);
  CHECK(truncate<UInt<16>>(Int<8>(-1)).value() == 0xffff);
  CHECK(as_unsigned(Int<4>(-1)).value() == 15);
  CHECK(as_signed(UInt<4>(15)).value() == -1);
}

TEST_CASE("shifting by the width or more gives zero", "[int]") {
  for (unsigned amount = 0; amount < 64; ++amount) {
    const UInt<6> by = UInt<6>::from(amount);
    const std::uint64_t expected_left = amount < 28 ? (0xabcdef1ull << amount) & 0xfffffff : 0;
    const std::uint64_t expected_right = amount < 28 ? 0xabcdef1ull >> amount : 0;
    CHECK((UInt<28>(0xabcdef1) << by).value() == expected_left);
    CHECK((UInt<28>(0xabcdef1) >> by).value() == expected_right);
  }
}

TEST_CASE("an Int shifts right arithmetically, by its width or more too", "[int]") {
  for (unsigned amount = 0; amount < 64; ++amount) {
    const UInt<6> by = UInt<6>::from(amount);
    const int least = static_cast<int>(std::min(amount, 31u));
    CHECK((Int<28>(-0x5432101) >> by).value() == -0x5432101 >> least);
    CHECK((Int<28>(0x5432101) >> by).value() == 0x5432101 >> least);
    CHECK((Int<9>(-200) >> truncate<UInt<3>>(by)).value() == -200 >> (amount & 7));
  }
}

TEST_CASE("saturate keeps values that fit and clamps the rest", "[int]") {
  for (int value = -2048; value < 2048; ++value) {
    CHECK(saturate<Int<8>>(Int<12>::from(value)).value() == std::clamp(value, -128, 127));
  }
}

TEST_CASE("slices and concatenations are SystemVerilog's", "[int]") {
  CHECK(slice<7, 4>(UInt<8>(0xa5)).value() == 0xa);
  CHECK(slice<3, 3>(Int<4>(-8)).value() == 1);
  CHECK(bit<0>(UInt<8>(0xa5)));
  CHECK_FALSE(bit<1>(UInt<8>(0xa5)));
  CHECK(concat(UInt<4>(0xa), UInt<8>(0x5c)).value() == 0xa5c);
  CHECK(concat(UInt<1>(1), UInt<2>(0), UInt<1>(1)).value() == 9);
}

TEST_CASE("bitwise operations keep the width", "[int]") {
  CHECK((~UInt<5>(0b10101)).value() == 0b01010);
  CHECK((UInt<8>(0xf0) | UInt<4>(0x5)).value() == 0xf5);
  CHECK((UInt<8>(0xff) ^ UInt<4>(0x5)).value() == 0xfa);
}

TEST_CASE("comparisons compare values across widths", "[int]") {
  CHECK(UInt<8>(200) == UInt<8>(200));
  CHECK(UInt<8>(200) > UInt<8>(100));
  CHECK(Int<8>(-1) < Int<8>(0));
  CHECK(UInt<8>(5) == UInt<4>(5));
}

TEST_CASE("index_bits is the width of an address", "[int]") {
  CHECK(index_bits(1) == 1);
  CHECK(index_bits(2) == 1);
  CHECK(index_bits(3) == 2);
  CHECK(index_bits(512) == 9);
  CHECK(index_bits(513) == 10);
}

}  // namespace
}  // namespace systole::tests
