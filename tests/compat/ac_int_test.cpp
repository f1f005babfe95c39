// ac_int against 128-bit host arithmetic and the documented widths.
#include "ac_int.h"

#include <catch2/catch.hpp>
#include <type_traits>

#include "tests/compat/rules.h"

namespace systole::tests {
namespace {

struct Ac {
  template <int kBits, bool kSigned>
  using Type = ac_int<kBits, kSigned>;
};

TEST_CASE("ac_int's results have the documented widths and signs", "[compat]") {
  check_widths<Ac>();
  STATIC_REQUIRE(std::is_same_v<decltype(~ac_int<8, false>()), ac_int<9, true>>);
  STATIC_REQUIRE(std::is_same_v<decltype(~ac_int<8, true>()), ac_int<8, true>>);
  STATIC_REQUIRE(ac_int<8, false>::width == 8);
  STATIC_REQUIRE(!ac_int<8, false>::sign);
  STATIC_REQUIRE(ac_int<8>::sign);
}

TEST_CASE("ac_int's operators give the exact numbers at every pair of widths", "[compat]") {
  check_arithmetic<Ac>();
}

TEST_CASE("ac_int takes any integer and keeps its low bits", "[compat]") {
  CHECK(ac_int<8, false>(300) == 44);
  CHECK(ac_int<8>(200) == -56);
  CHECK(ac_int<1>(1) == -1);
  CHECK(~ac_int<8, false>(0) == -1);
  CHECK((ac_int<8, false>(0)).bit_complement() == 255);
}

TEST_CASE("slc reads bits with the number's sign, and set_slc writes them", "[compat]") {
  ac_int<12, false> x = 0xABC;
  CHECK(x.slc<4>(8) == 0xA);
  CHECK(x.slc<4>(ac_int<4, false>(4)) == 0xB);
  STATIC_REQUIRE(std::is_same_v<decltype(ac_int<8>().slc<3>(0)), ac_int<3, true>>);
  CHECK(ac_int<8>(0b101'00).slc<3>(2) == -3);
  CHECK(ac_int<8>(4).slc<1>(2) == -1);
  x.set_slc(4, ac_int<4, false>(5));
  CHECK(x == 0xA5C);
  x.set_slc(ac_int<4, false>(8), ac_int<4, true>(-1));
  CHECK(x == 0xF5C);
  x[0] = 1;
  CHECK(x == 0xF5D);
  CHECK(x[ac_int<4, false>(11)]);
}

TEST_CASE("ac_int's reductions, extremes and leading signs", "[compat]") {
  CHECK(ac_int<5, false>(31).and_reduce());
  CHECK(!ac_int<5, false>(30).and_reduce());
  CHECK(ac_int<5, false>(8).or_reduce());
  CHECK(ac_int<5, false>(11).xor_reduce());
  CHECK(ac_int<5, false>(0b00110).reverse() == 0b01100);
  ac_int<6> x;
  CHECK(x.set_val<AC_VAL_MIN>() == -32);
  CHECK(x.set_val<AC_VAL_MAX>() == 31);
  CHECK(x.set_val<AC_VAL_QUANTUM>() == 1);
  CHECK(x.set_val<AC_VAL_0>() == 0);
  CHECK((ac_int<6, false>().set_val<AC_VAL_MAX>()) == 63);
  CHECK(ac_int<6>(0).leading_sign() == 5);
  CHECK(ac_int<6>(-1).leading_sign() == 5);
  CHECK(ac_int<6>(-3).leading_sign() == 3);
  CHECK(ac_int<6>(16).leading_sign() == 0);
  CHECK((ac_int<6, false>(16).leading_sign()) == 1);
  CHECK((ac_int<6, false>(0).leading_sign()) == 6);
}

}  // namespace
}  // namespace systole::tests
