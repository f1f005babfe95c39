#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <type_traits>

/// The rules of width and sign that ap_int and ac_int share, stated a second time, and the values
/// of their operators against host integers of 128 bits.
namespace systole::tests {

template <typename Family, int kA, bool kSignedA, int kB, bool kSignedB>
void check_widths_of() {
  using A = typename Family::template Type<kA, kSignedA>;
  using B = typename Family::template Type<kB, kSignedB>;
  constexpr bool kSigned = kSignedA || kSignedB;
  // the widest operand, once both can hold a sign
  constexpr int kWide = kSignedA == kSignedB ? std::max(kA, kB)
                        : kSignedA           ? std::max(kA, kB + 1)
                                             : std::max(kA + 1, kB);
  const auto is = []<typename Expected, typename Got>() {
    STATIC_REQUIRE(std::is_same_v<Expected, Got>);
  };
  is.template operator()<typename Family::template Type<kWide + 1, kSigned>, decltype(A() + B())>();
  is.template operator()<typename Family::template Type<kWide + 1, true>, decltype(A() - B())>();
  is.template operator()<typename Family::template Type<kA + kB, kSigned>, decltype(A() * B())>();
  is.template
  operator()<typename Family::template Type<kA + kSignedB, kSigned>, decltype(A() / B())>();
  constexpr int kRest = std::min(kA, kB + (kSignedA && !kSignedB ? 1 : 0));
  is.template operator()<typename Family::template Type<kRest, kSignedA>, decltype(A() % B())>();
  is.template operator()<typename Family::template Type<kWide, kSigned>, decltype(A() & B())>();
  is.template operator()<typename Family::template Type<kWide, kSigned>, decltype(A() | B())>();
  is.template operator()<typename Family::template Type<kWide, kSigned>, decltype(A() ^ B())>();
  is.template operator()<A, decltype(A() << B())>();
  is.template operator()<A, decltype(A() >> B())>();
  is.template operator()<typename Family::template Type<kA + 1, true>, decltype(-A())>();
}

template <typename Family>
void check_widths() {
  check_widths_of<Family, 8, false, 5, false>();
  check_widths_of<Family, 8, true, 5, true>();
  check_widths_of<Family, 8, true, 5, false>();
  check_widths_of<Family, 8, false, 5, true>();
  check_widths_of<Family, 5, true, 8, false>();
  check_widths_of<Family, 5, false, 8, true>();
  check_widths_of<Family, 32, true, 32, false>();
  // a host integer has its type's width
  using Byte = typename Family::template Type<8, false>;
  STATIC_REQUIRE(decltype(Byte() + 1)::width == 33);
  STATIC_REQUIRE(decltype(Byte() + 1u)::width == 33);
  STATIC_REQUIRE(decltype(Byte() * std::int64_t{1})::width == 72);
  STATIC_REQUIRE(decltype(Byte() + true)::width == 9);
  STATIC_REQUIRE(decltype(1 - Byte())::width == 33);
}

template <typename T>
__int128 number(const T& x) {
  return static_cast<__int128>(x.raw());
}

constexpr std::int64_t low(__int128 x) { return static_cast<std::int64_t>(x); }

/// One pair of shapes: every pair of values where there are few, else a fixed walk through them.
template <typename A, typename B>
int wrong_results() {
  constexpr int kSteps = 48;
  int wrong = 0;
  std::uint64_t state = 0x9e3779b97f4a7c15u;
  const auto value = [&](int step) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t edges[] = {0, 1, ~std::uint64_t{0}, std::uint64_t{1} << 63};
    return step < 4 ? edges[step] : state >> (step % 23);
  };
  for (int i = 0; i < kSteps; ++i) {
    A a = value(i);
    if (i % 8 == 3) a = A(1) << (A::width - 1);  // the least of the signed ones
    for (int j = 0; j < kSteps; ++j) {
      const B b = value(j);
      const __int128 x = number(a), y = number(b);
      wrong += number(a + b) != x + y;
      wrong += number(a - b) != x - y;
      wrong += number(a * b) != x * y;
      wrong += number(a & b) != (x & y);
      wrong += number(a | b) != (x | y);
      wrong += number(a ^ b) != (x ^ y);
      wrong += number(-a) != -x;
      wrong += (a < b) != (x < y);
      wrong += (a >= b) != (x >= y);
      wrong += (a == b) != (x == y);
      wrong += (a != b) != (x != y);
      if (y != 0) {
        wrong += number(a / b) != x / y;
        wrong += number(a % b) != x % y;
      }
      const int amount = static_cast<int>(y % 8);
      wrong += number(a >> amount) != (amount >= 0 ? x >> amount : number(A(low(x << -amount))));
      wrong += number(a << amount) != (amount >= 0 ? number(A(low(x << amount))) : x >> -amount);
      wrong += number(a + 7) != x + 7;
      wrong += number(7 - a) != 7 - x;
      wrong += (a < -3) != (x < -3);
      wrong += (5 == a) != (x == 5);
    }
  }
  return wrong;
}

template <typename Family>
void check_arithmetic() {
  const auto pair = []<int kA, bool kSignedA, int kB, bool kSignedB>() {
    using A = typename Family::template Type<kA, kSignedA>;
    using B = typename Family::template Type<kB, kSignedB>;
    INFO("widths " << kA << " and " << kB << ", signed " << kSignedA << " and " << kSignedB);
    CHECK((wrong_results<A, B>()) == 0);
  };
  const auto signs = [&]<int kA, int kB>() {
    pair.template operator()<kA, false, kB, false>();
    pair.template operator()<kA, false, kB, true>();
    pair.template operator()<kA, true, kB, false>();
    pair.template operator()<kA, true, kB, true>();
  };
  signs.template operator()<1, 1>();
  signs.template operator()<4, 3>();
  signs.template operator()<3, 9>();
  signs.template operator()<12, 12>();
  signs.template operator()<33, 17>();
  signs.template operator()<17, 60>();
}

}  // namespace systole::tests
