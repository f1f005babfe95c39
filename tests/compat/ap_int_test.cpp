// ap_int and ap_uint against 128-bit host arithmetic and the documented widths.
#include "ap_int.h"

#include <catch2/catch.hpp>
#include <type_traits>

#include "tests/compat/rules.h"

namespace systole::tests {
namespace {

struct Ap {
  template <int kBits, bool kSigned>
  using Type = std::conditional_t<kSigned, ap_int<kBits>, ap_uint<kBits>>;
};

TEST_CASE("ap_int's results have the documented widths and signs", "[compat]") {
  check_widths<Ap>();
  STATIC_REQUIRE(std::is_same_v<decltype(~ap_uint<8>()), ap_uint<8>>);
  STATIC_REQUIRE(std::is_same_v<decltype(~ap_int<8>()), ap_int<8>>);
  STATIC_REQUIRE(sizeof(ap_uint<8>) == 1);
}

TEST_CASE("ap_int's operators give the exact numbers at every pair of widths", "[compat]") {
  check_arithmetic<Ap>();
}

TEST_CASE("ap_int takes any integer and keeps its low bits", "[compat]") {
  CHECK(ap_uint<8>(300) == 44);
  CHECK(ap_int<8>(200) == -56);
  CHECK(ap_uint<8>(-1) == 255);
  CHECK(ap_int<16>(ap_int<4>(-3)) == -3);
  CHECK(ap_int<16>(ap_uint<4>(13)) == 13);
  CHECK(ap_int<1>(1) == -1);
  CHECK(ap_int<1>(ap_int<1>(1) + 1) == 0);
  CHECK(ap_uint<100>(ap_int<4>(-1)).to_uint64() == ~std::uint64_t{0});
  ap_uint<4> x = 15;
  x += 3;
  CHECK(x == 2);
  x -= 3;
  CHECK(x == 15);
  CHECK(x++ == 15);
  CHECK(x-- == 0);
  CHECK(x == 15);
}

TEST_CASE("ap_int's parts read and take bits", "[compat]") {
  ap_uint<12> x = 0xABC;
  CHECK(x(11, 8) == 0xA);
  CHECK(x.range(7, 4) == 0xB);
  CHECK(x(3, 0).length() == 4);
  CHECK(x.range() == 0xABC);
  CHECK((x(7, 4) & x(3, 0)) == (0xB & 0xC));
  x(11, 4) = 0x1FF;  // of which eight bits fit
  CHECK(x == 0xFFC);
  x(3, 0) += 5;
  CHECK(x == 0xFF1);
  x(7, 4) = x(3, 0);
  CHECK(x == 0xF11);
  for (ap_uint<3> byte = 0; byte < 3; byte++) x(byte * 4 + 3, byte * 4) = byte;
  CHECK(x == 0x210);
  const ap_int<8> y = -2;
  CHECK(y(7, 1) == 127);
  CHECK(y(7, 4).and_reduce());
}

TEST_CASE("ap_int's bits read, and are set alone", "[compat]") {
  ap_uint<8> x = 0;
  x[3] = 1;
  x[ap_uint<3>(5)] = x[3];
  CHECK(x == 40);
  CHECK(x[5]);
  CHECK(!x[ap_uint<4>(9)]);
  x.set(0);
  x.clear(3);
  x.invert(7);
  x.set_bit(6, true);
  CHECK(x == 0b11100001);
  CHECK(x.get_bit(6));
  CHECK(x.test(5));
  x[0] ^= 1;
  CHECK((x[0] | x[7] << 1) == 2);
}

TEST_CASE("(a, b) joins numbers, parts and bits, and takes a number apart", "[compat]") {
  ap_uint<4> high = 0xA;
  ap_uint<8> low = 0x5C;
  ap_uint<12> both = (high, low);
  CHECK(both == 0xA5C);
  CHECK((high, low, high) == 0xA5CA);
  CHECK((low(3, 0), high[3], high[0]) == (0xC << 2 | 2));
  CHECK(high.concat(low) == 0xA5C);
  (high, low) = ap_uint<12>(0x123);
  CHECK(high == 1);
  CHECK(low == 0x23);
  (low(7, 4), high(1, 0), low[0]) = 0b1001'10'0;
  CHECK(low == 0b1001'0010);
  CHECK(high == 0b0010);
  CHECK((ap_int<4>(-1), ap_int<4>(1)) == 0xF1);
}

TEST_CASE("ap_int's reductions, rotations and counts", "[compat]") {
  const ap_uint<6> x = 0b011010;
  CHECK(x.or_reduce());
  CHECK(!x.and_reduce());
  CHECK(x.xor_reduce());
  CHECK(x.nand_reduce());
  CHECK(!x.nor_reduce());
  CHECK(!x.xnor_reduce());
  CHECK(!x.iszero());
  CHECK(ap_uint<6>(63).and_reduce());
  CHECK(ap_int<6>(-1).and_reduce());
  CHECK(ap_uint<6>(0).nor_reduce());
  CHECK(x.countLeadingZeros() == 1);
  CHECK(ap_uint<6>(0).countLeadingZeros() == 6);
  CHECK(ap_int<6>(-2).sign());
  CHECK(x.length() == 6);
  ap_uint<6> y = x;
  CHECK(y.reverse() == 0b010110);
  y.lrotate(2);
  CHECK(y == 0b011001);
  y.rrotate(ap_uint<3>(3));
  CHECK(y == 0b001011);
  y.lrotate(0);
  y.b_not();
  CHECK(y == 0b110100);
}

TEST_CASE("an ap_int is a C integer where one is wanted", "[compat]") {
  const int table[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};
  const ap_uint<4> x = 12;
  CHECK(table[x] == 144);
  int reached = 0;
  switch (x) {
    case 12:
      reached = 1;
      break;
    default:
      break;
  }
  CHECK(reached == 1);
  const int value = ap_int<5>(-7);
  CHECK(value == -7);
  CHECK(ap_int<5>(-7).to_uint() == 0xFFFFFFF9u);
  CHECK(ap_int<40>(-7).to_int64() == -7);
  CHECK(ap_uint<40>(-7).to_uint64() == 0xFFFFFFFFF9u);
}

}  // namespace
}  // namespace systole::tests
