// The operators beyond the exact ones, against the host's arithmetic.

#include <catch2/catch.hpp>
#include <type_traits>

#include "systole/hls/int.h"

namespace systole::tests {
namespace {

using namespace systole::hls;

template <typename T>
T value(int bits) {
  return T::from_raw(static_cast<typename T::Raw>(bits));
}

TEST_CASE("a constant beside a value has the value's type", "[int]") {
  const UInt<8> x = 200;
  CHECK(std::is_same_v<decltype(x + 1), UInt<9>>);
  CHECK(std::is_same_v<decltype(1 + x), UInt<9>>);
  CHECK(std::is_same_v<decltype(x & 0xf), UInt<8>>);
  CHECK(std::is_same_v<decltype(3 * Int<5>()), Int<10>>);
  CHECK((x + 255).value() == 455);
  CHECK((1 - x).value() == -199);
  CHECK((3 * x).value() == 600);
  CHECK((x ^ 0xff).value() == 55);
  constexpr int kStep = 7;
  CHECK((x - kStep).value() == 193);
}

TEST_CASE("signed and unsigned values give the exact result", "[int]") {
  CHECK(std::is_same_v<decltype(UInt<8>() + Int<4>()), Int<10>>);
  CHECK(std::is_same_v<decltype(UInt<8>() * Int<4>()), Int<12>>);
  for (int u = 0; u < 32; ++u) {
    for (int s = -8; s < 8; ++s) {
      const auto a = value<UInt<5>>(u);
      const auto b = value<Int<4>>(s);
      CHECK((a + b).value() == u + s);
      CHECK((b + a).value() == u + s);
      CHECK((a - b).value() == u - s);
      CHECK((b - a).value() == s - u);
      CHECK((a * b).value() == u * s);
      CHECK((b * a).value() == u * s);
      CHECK((a < b) == (u < s));
      CHECK((b < a) == (s < u));
      CHECK((a == b) == (u == s));
      CHECK((value<UInt<3>>(u & 7) >= b) == ((u & 7) >= s));
    }
  }
}

TEST_CASE("assigning operators keep their variable's type", "[int]") {
  for (int old = 0; old < 256; ++old) {
    const auto by = value<Int<6>>(old * 7 % 64 - 32);
    const int host = static_cast<int>(by.value());
    auto x = value<UInt<8>>(old);
    CHECK((x += by).value() == static_cast<unsigned>(old + host) % 256);
    x = value<UInt<8>>(old);
    CHECK((x -= 100).value() == static_cast<unsigned>(old - 100) % 256);
    x = value<UInt<8>>(old);
    CHECK((x *= by).value() == static_cast<unsigned>(old * host) % 256);
    x = value<UInt<8>>(old);
    CHECK((x <<= 3).value() == static_cast<unsigned>(old << 3) % 256);
    x = value<UInt<8>>(old);
    CHECK((x >>= UInt<2>(2)).value() == static_cast<unsigned>(old) >> 2);
    x = value<UInt<8>>(old);
    CHECK((x++).value() == static_cast<unsigned>(old));
    CHECK(x.value() == static_cast<unsigned>(old + 1) % 256);
    CHECK((--x).value() == static_cast<unsigned>(old));
    auto y = value<Int<8>>(old);
    const int before = static_cast<int>(y.value());
    CHECK((y += 1).value() == static_cast<std::int8_t>(before + 1));
    CHECK((y ^= Int<8>(-1)).value() == ~static_cast<std::int8_t>(before + 1));
  }
}

TEST_CASE("a negated value has one bit more", "[int]") {
  CHECK((-UInt<8>(255)).value() == -255);
  CHECK((-Int<8>(-128)).value() == 128);
  CHECK((~Int<8>(5)).value() == -6);
}

template <int kBits, int kBy>
bool divides() {
  for (int i = 0; i < 1 << kBits; ++i) {
    const auto u = value<UInt<kBits>>(i);
    const auto s = value<Int<kBits>>(i);
    const int host = static_cast<int>(s.value());
    if (kBy > 0 && kBy < 1 << kBits) {
      constexpr int kPositive = kBy > 0 && kBy < 1 << kBits ? kBy : 1;
      if (u / kPositive != value<UInt<kBits>>(i / kPositive)) return false;
      if (u % kPositive != value<UInt<kBits>>(i % kPositive)) return false;
    }
    if (kBy < 1 << (kBits - 1)) {
      constexpr int kFits = kBy < 1 << (kBits - 1) ? kBy : 1;
      if (s / kFits != value<Int<kBits>>(host / kFits)) return false;
      if (s % kFits != value<Int<kBits>>(host % kFits)) return false;
    }
  }
  return true;
}

TEST_CASE("division by a constant rounds toward zero", "[int]") {
  CHECK(divides<8, 1>());
  CHECK(divides<8, 2>());
  CHECK(divides<8, 3>());
  CHECK(divides<8, 10>());
  CHECK(divides<8, 127>());
  CHECK(divides<8, 128>());
  CHECK(divides<8, 255>());
  CHECK(divides<8, -3>());
  CHECK(divides<8, -128>());
  CHECK(divides<13, 641>());
  CHECK(divides<13, -1000>());
  CHECK((~UInt<64>(0) / 10).value() == ~std::uint64_t{0} / 10);
  CHECK((~UInt<64>(0) % 1'000'003).value() == ~std::uint64_t{0} % 1'000'003);
}

TEST_CASE("values of more than 128 bits compute as narrow ones do", "[int]") {
  const auto power = UInt<300>(1) << 200;
  UInt<300> x = power;
  for (int i = 0; i < 40; ++i) x /= 32;
  CHECK((x == 1));
  CHECK((power % 1'000'003).value() == 973692);
  CHECK((power / truncate<UInt<150>>(power >> 190) == UInt<300>(1) << 190));
  CHECK((power % truncate<UInt<150>>(power >> 190) == 0));
  CHECK((truncate<Int<200>>(-power) - 1 < Int<200>(0)));
  CHECK((power * power == UInt<600>(1) << 400));
  CHECK((slice<200, 190>(power) == 1024));
  CHECK(power[200]);
  CHECK_FALSE(power[UInt<9>(199)]);
  CHECK(((Int<200>(-5) >> 150) == -1));
}

/// Every dividend by every divisor, of all signs.
template <int kA, int kB>
bool divides_by_variables() {
  for (int i = 0; i < 1 << kA; ++i) {
    for (int j = 1; j < 1 << kB; ++j) {
      const auto u = value<UInt<kA>>(i);
      const auto s = value<Int<kA>>(i);
      const auto by = value<UInt<kB>>(j);
      const auto signed_by = value<Int<kB>>(j);
      const int x = static_cast<int>(s.value());
      const int y = static_cast<int>(signed_by.value());
      if ((u / by).value() != static_cast<unsigned>(i / j)) return false;
      if ((u % by).value() != static_cast<unsigned>(i % j)) return false;
      if ((s / signed_by).value() != x / y || (s % signed_by).value() != x % y) return false;
      if ((u / signed_by).value() != i / y || (u % signed_by).value() != i % y) return false;
      if ((s / by).value() != x / j || (s % by).value() != x % j) return false;
    }
  }
  return true;
}

TEST_CASE("division by a variable is exact and rounds toward zero", "[int]") {
  CHECK(divides_by_variables<7, 3>());
  CHECK(divides_by_variables<3, 7>());
  CHECK(divides_by_variables<6, 6>());
  CHECK((Int<8>(-128) / Int<2>(-1)).value() == 128);
  CHECK((~UInt<64>(0) / UInt<33>::from(std::uint64_t{1} << 32)).value() == 0xffffffffu);
}

TEST_CASE("x[i] is a bit to read and to set", "[int]") {
  UInt<8> x = 0xa5;
  CHECK(x[0]);
  CHECK_FALSE(x[1]);
  CHECK(x[UInt<3>(7)]);
  x[1] = true;
  x[UInt<3>(7)] = x[6];
  CHECK(x.value() == 0x27);
  CHECK_FALSE(x[UInt<4>(9)]);
  x[UInt<4>(9)] = true;
  CHECK(x.value() == 0x27);
  Int<4> y = 3;
  y[3] = UInt1(1);
  CHECK(y.value() == -5);
}

}  // namespace
}  // namespace systole::tests
