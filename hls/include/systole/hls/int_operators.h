#pragma once

#include <cassert>

#include "systole/hls/int.h"

/// The operators that int.h's exact ones leave open. Include int.h, which includes this.
///
/// Numbers  a constant beside a value has the value's type: x + 1 of a UInt<8> is a UInt<9>.
///          Signed and unsigned: + - * give the exact Int, comparisons compare the numbers.
///          += -= *= &= |= ^= <<= >>= ++ -- keep the variable's type and drop the bits beyond it.
///          / and % round toward zero; by zero they are undefined, and an assertion finds it
/// Errors   a constant that does not fit, and & | ^ of signed and unsigned do not compile; a
///          division by a variable outside of a function over arrays is refused by `hlsc`
namespace systole::hls {

/// A constant where a T is wanted.
template <HlsInteger T>
struct Literal {
  template <std::integral Host>
  consteval Literal(Host literal) : value(literal) {}
  T value;
};
template <typename T>
using LiteralOf = std::type_identity_t<Literal<T>>;

template <int kBits>
constexpr auto operator-(const UInt<kBits>& x) {
  using Result = Int<kBits + 1>;
  return Result::from_raw(static_cast<typename Result::Raw>(-Result(x).raw()));
}
template <int kBits>
constexpr auto operator-(const Int<kBits>& x) {
  using Result = Int<kBits + 1>;
  return Result::from_raw(static_cast<typename Result::Raw>(-Result(x).raw()));
}

/// Signed and unsigned.
template <int kA, int kB>
constexpr auto operator+(const UInt<kA>& a, const Int<kB>& b) {
  return Int<kA + 1>(a) + b;
}
template <int kA, int kB>
constexpr auto operator+(const Int<kA>& a, const UInt<kB>& b) {
  return a + Int<kB + 1>(b);
}
template <int kA, int kB>
constexpr auto operator-(const UInt<kA>& a, const Int<kB>& b) {
  return Int<kA + 1>(a) - b;
}
template <int kA, int kB>
constexpr auto operator-(const Int<kA>& a, const UInt<kB>& b) {
  return a - Int<kB + 1>(b);
}
template <int kA, int kB>
constexpr auto operator*(const UInt<kA>& a, const Int<kB>& b) {
  using Result = Int<kA + kB>;
  return Result::from_raw(static_cast<typename Result::Raw>(a.raw()) * b.raw());
}
template <int kA, int kB>
constexpr auto operator*(const Int<kA>& a, const UInt<kB>& b) {
  return b * a;
}
template <int kA, int kB>
  requires(kA >= kB)
constexpr bool operator==(const UInt<kA>& a, const Int<kB>& b) {
  return Int<kA + 1>(a) == Int<kA + 1>(b);
}
template <int kA, int kB>
  requires(kA >= kB)
constexpr auto operator<=>(const UInt<kA>& a, const Int<kB>& b) {
  return Int<kA + 1>(a) <=> Int<kA + 1>(b);
}

/// Bits of two signed values: the narrower one is extended by its sign.
template <int kA, int kB>
constexpr auto operator&(const Int<kA>& a, const Int<kB>& b) {
  using Result = Int<larger(kA, kB)>;
  return Result::from_raw(static_cast<typename Result::Raw>(a.raw()) & b.raw());
}
template <int kA, int kB>
constexpr auto operator|(const Int<kA>& a, const Int<kB>& b) {
  using Result = Int<larger(kA, kB)>;
  return Result::from_raw(static_cast<typename Result::Raw>(a.raw()) | b.raw());
}
template <int kA, int kB>
constexpr auto operator^(const Int<kA>& a, const Int<kB>& b) {
  using Result = Int<larger(kA, kB)>;
  return Result::from_raw(static_cast<typename Result::Raw>(a.raw()) ^ b.raw());
}
template <int kBits>
constexpr Int<kBits> operator~(const Int<kBits>& x) {
  return Int<kBits>::from_raw(static_cast<typename Int<kBits>::Raw>(~x.raw()));
}

/// Natively the amount of a shift is checked in debug builds.
constexpr void check_amount([[maybe_unused]] int amount) {
#ifndef SYSTOLE_HLSC
  assert(amount >= 0);
#endif
}

/// By a constant or a loop's counter, which is not negative.
template <HlsInteger T>
constexpr T operator<<(const T& x, int amount) {
  check_amount(amount);
  using Raw = typename T::Raw;
  return T::from_raw(static_cast<unsigned>(amount) < T::kWidth ? static_cast<Raw>(x.raw() << amount)
                                                               : Raw{0});
}
template <HlsInteger T>
constexpr T operator>>(const T& x, int amount) {
  check_amount(amount);
  using Raw = typename T::Raw;
  const bool is_negative = T::kSigned && x.raw() < 0;
  return T::from_raw(static_cast<unsigned>(amount) < T::kWidth
                         ? static_cast<Raw>(x.raw() >> amount)
                         : static_cast<Raw>(is_negative ? -1 : 0));
}
template <int kBits, int kAmount>
constexpr Int<kBits> operator<<(const Int<kBits>& x, const UInt<kAmount>& amount) {
  return as_signed(as_unsigned(x) << amount);
}

/// floor(x / size) is x * factor >> shift for every x of kBits bits, where factor is
/// ceil(2^shift / size) and shift is kBits + ceil(log2 size): its excess over 1 / size is too
/// small to reach the next quotient.
template <HlsInteger T>
struct Divisor {
  static constexpr int kBits = T::kWidth;
  using Product = unsigned _BitInt(2 * kBits + 1);
  using Size = unsigned _BitInt(kBits);

  template <std::integral Host>
  consteval Divisor(Host literal) {
    const T value(literal);
    if (literal == 0 || (T::kSigned && literal + 1 == 0)) literal_does_not_fit();
    is_negative = literal < 0;
    auto bits = static_cast<Size>(value.raw());
    size = is_negative ? static_cast<Size>(-bits) : bits;
    while (Product{1} << (shift - kBits) < size) ++shift;
    factor = ((Product{1} << shift) + size - 1) / size;
  }
  constexpr Size quotient(PassedBits<Size> x) const {
    return static_cast<Size>(factor * x >> shift);
  }

  Product factor = 0;
  int shift = kBits;
  Size size = 0;
  bool is_negative = false;
};
template <typename T>
using DivisorOf = std::type_identity_t<Divisor<T>>;

template <HlsInteger T>
constexpr T operator/(const T& x, const DivisorOf<T>& by) {
  using Size = typename Divisor<T>::Size;
  auto bits = static_cast<Size>(x.raw());
  const bool is_negative = T::kSigned && x.raw() < 0;
  Size quotient = by.quotient(is_negative ? static_cast<Size>(-bits) : bits);
  return T::from_raw(static_cast<typename T::Raw>(
      is_negative != by.is_negative ? static_cast<Size>(-quotient) : quotient));
}
/// The remainder has the sign of x.
template <HlsInteger T>
constexpr T operator%(const T& x, const DivisorOf<T>& by) {
  using Size = typename Divisor<T>::Size;
  auto bits = static_cast<Size>(x.raw());
  const bool is_negative = T::kSigned && x.raw() < 0;
  Size size = is_negative ? static_cast<Size>(-bits) : bits;
  auto rest = static_cast<Size>(size - static_cast<Size>(by.quotient(size) * by.size));
  return T::from_raw(static_cast<typename T::Raw>(is_negative ? static_cast<Size>(-rest) : rest));
}

constexpr void check_divisor([[maybe_unused]] bool is_zero) {
#ifndef SYSTOLE_HLSC
  assert(!is_zero);
#endif
}

/// Division by a variable: hardware of a function over arrays, where it takes several clocks. The
/// quotient is exact, and the remainder has the sign of x.
template <int kA, int kB>
constexpr UInt<kA> operator/(const UInt<kA>& x, const UInt<kB>& by) {
  check_divisor(by.raw() == 0);
  using Raw = typename UInt<larger(kA, kB)>::Raw;
  return UInt<kA>::from_raw(
      static_cast<typename UInt<kA>::Raw>(static_cast<Raw>(x.raw()) / static_cast<Raw>(by.raw())));
}
template <int kA, int kB>
constexpr auto operator%(const UInt<kA>& x, const UInt<kB>& by) {
  check_divisor(by.raw() == 0);
  using Raw = typename UInt<larger(kA, kB)>::Raw;
  using Result = UInt<smaller(kA, kB)>;
  return Result::from_raw(
      static_cast<typename Result::Raw>(static_cast<Raw>(x.raw()) % static_cast<Raw>(by.raw())));
}
template <int kA, int kB>
constexpr Int<kA + 1> operator/(const Int<kA>& x, const Int<kB>& by) {
  check_divisor(by.raw() == 0);
  using Raw = typename Int<larger(kA + 1, kB)>::Raw;  // the least one by -1 needs one bit more
  return Int<kA + 1>::from_raw(static_cast<typename Int<kA + 1>::Raw>(static_cast<Raw>(x.raw()) /
                                                                      static_cast<Raw>(by.raw())));
}
template <int kA, int kB>
constexpr auto operator%(const Int<kA>& x, const Int<kB>& by) {
  check_divisor(by.raw() == 0);
  using Raw = typename Int<larger(kA + 1, kB)>::Raw;
  using Result = Int<smaller(kA, kB)>;
  return Result::from_raw(
      static_cast<typename Result::Raw>(static_cast<Raw>(x.raw()) % static_cast<Raw>(by.raw())));
}
template <int kA, int kB>
constexpr auto operator/(const UInt<kA>& x, const Int<kB>& by) {
  return Int<kA + 1>(x) / by;
}
template <int kA, int kB>
constexpr auto operator%(const UInt<kA>& x, const Int<kB>& by) {
  return Int<kA + 1>(x) % by;
}
template <int kA, int kB>
constexpr auto operator/(const Int<kA>& x, const UInt<kB>& by) {
  return x / Int<kB + 1>(by);
}
template <int kA, int kB>
constexpr auto operator%(const Int<kA>& x, const UInt<kB>& by) {
  return x % Int<kB + 1>(by);
}

/// What the macro below writes for an operator with two values: one with a constant on either side,
/// and the one that assigns.
#define SYSTOLE_HLS_CONSTANTS(op)                                                  \
  template <HlsInteger T>                                                          \
  constexpr auto operator op(const T& a, const LiteralOf<T>& b) {                  \
    return a op b.value;                                                           \
  }                                                                                \
  template <HlsInteger T>                                                          \
  constexpr auto operator op(const LiteralOf<T>& a, const T& b) {                  \
    return a.value op b;                                                           \
  }                                                                                \
  template <HlsInteger T, HlsInteger U>                                            \
  constexpr T& operator op##=(T & x, const U & y) {                                \
    using Bits = unsigned _BitInt(T::kWidth);                                      \
    auto bits = static_cast<Bits>(x.raw()) op static_cast<Bits>(y.raw());          \
    return x = T::from_raw(static_cast<typename T::Raw>(static_cast<Bits>(bits))); \
  }                                                                                \
  template <HlsInteger T>                                                          \
  constexpr T& operator op##=(T & x, const LiteralOf<T>& y) {                      \
    return x op## = y.value;                                                       \
  }
SYSTOLE_HLS_CONSTANTS(+)
SYSTOLE_HLS_CONSTANTS(-)
SYSTOLE_HLS_CONSTANTS(*)
SYSTOLE_HLS_CONSTANTS(&)
SYSTOLE_HLS_CONSTANTS(|)
SYSTOLE_HLS_CONSTANTS(^)
#undef SYSTOLE_HLS_CONSTANTS

template <HlsInteger T>
constexpr T& operator/=(T& x, const DivisorOf<T>& by) {
  return x = x / by;
}
template <HlsInteger T>
constexpr T& operator%=(T& x, const DivisorOf<T>& by) {
  return x = x % by;
}
template <HlsInteger T, typename Amount>
constexpr T& operator<<=(T& x, const Amount& amount) {
  return x = x << amount;
}
template <HlsInteger T, typename Amount>
constexpr T& operator>>=(T& x, const Amount& amount) {
  return x = x >> amount;
}
template <HlsInteger T>
constexpr T& operator++(T& x) {
  return x += T(1);
}
template <HlsInteger T>
constexpr T& operator--(T& x) {
  return x -= T(1);
}
template <HlsInteger T>
constexpr T operator++(T& x, int) {
  const T old = x;
  ++x;
  return old;
}
template <HlsInteger T>
constexpr T operator--(T& x, int) {
  const T old = x;
  --x;
  return old;
}

/// What is refused, and what to write instead.
template <HlsInteger A, HlsInteger B>
  requires(A::kSigned != B::kSigned)
constexpr A operator&(const A&, const B&) {
  static_assert(A::kWidth < 0, "& of signed and unsigned: write as_unsigned(x) or as_signed(x)");
}
template <HlsInteger A, HlsInteger B>
  requires(A::kSigned != B::kSigned)
constexpr A operator|(const A&, const B&) {
  static_assert(A::kWidth < 0, "| of signed and unsigned: write as_unsigned(x) or as_signed(x)");
}
template <HlsInteger A, HlsInteger B>
  requires(A::kSigned != B::kSigned)
constexpr A operator^(const A&, const B&) {
  static_assert(A::kWidth < 0, "^ of signed and unsigned: write as_unsigned(x) or as_signed(x)");
}

}  // namespace systole::hls
