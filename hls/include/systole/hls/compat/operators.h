#pragma once

#include "systole/hls/compat/number.h"

/// The operators of ap_int and ac_int. Include ap_int.h or ac_int.h, which include this.
///
/// Numbers  a host integer beside a number counts with its type's width, int with 32 bits.
///          Shifts keep the left type; a negative amount shifts the other way; beyond the width
///          the result is 0 or the sign. / rounds toward zero and % has the sign of its left side;
///          x / 0 is all ones before the sign is set, and x % 0 the low bits of x
/// Timing   / and % are a subtraction for each bit of the left side, one after the other in one
///          expression: compile them with --stages
namespace systole::compat {

template <typename A, typename B>
  requires Operands<A, B>
constexpr auto operator+(const A& a, const B& b) {
  using Result = typename Rules<A, B>::Sum;
  using Raw = typename Result::Raw;
  return make<Result>(
      static_cast<Raw>(static_cast<Raw>(held(a).raw()) + static_cast<Raw>(held(b).raw())));
}
template <typename A, typename B>
  requires Operands<A, B>
constexpr auto operator-(const A& a, const B& b) {
  using Result = typename Rules<A, B>::Difference;
  using Raw = typename Result::Raw;
  return make<Result>(
      static_cast<Raw>(static_cast<Raw>(held(a).raw()) - static_cast<Raw>(held(b).raw())));
}
template <typename A, typename B>
  requires Operands<A, B>
constexpr auto operator*(const A& a, const B& b) {
  using Result = typename Rules<A, B>::Product;
  using Raw = typename Result::Raw;
  return make<Result>(
      static_cast<Raw>(static_cast<Raw>(held(a).raw()) * static_cast<Raw>(held(b).raw())));
}

/// Bits: the narrower side is extended by its own sign.
#define SYSTOLE_COMPAT_LOGIC(op)                                                               \
  template <typename A, typename B>                                                            \
    requires Operands<A, B>                                                                    \
  constexpr auto operator op(const A& a, const B& b) {                                         \
    using Result = typename Rules<A, B>::Logic;                                                \
    using Raw = typename Result::Raw;                                                          \
    return make<Result>(                                                                       \
        static_cast<Raw>(static_cast<Raw>(held(a).raw()) op static_cast<Raw>(held(b).raw()))); \
  }
SYSTOLE_COMPAT_LOGIC(&)
SYSTOLE_COMPAT_LOGIC(|)
SYSTOLE_COMPAT_LOGIC(^)
#undef SYSTOLE_COMPAT_LOGIC

template <Arithmetic A>
constexpr auto operator~(const A& x) {
  constexpr int kWidth = A::width + (A::Family::kComplementIsSigned && !A::kHasSign ? 1 : 0);
  using Result =
      typename A::Family::template Type<kWidth, A::kHasSign || A::Family::kComplementIsSigned>;
  using Raw = typename Result::Raw;
  return make<Result>(static_cast<Raw>(~static_cast<Raw>(held(x).raw())));
}
template <Arithmetic A>
constexpr auto operator-(const A& x) {
  return make<typename A::Family::template Type<A::width + 1, true>>(
      (typename A::Family::template Type<1, false>(0) - x).raw());
}
template <Arithmetic A>
constexpr auto operator+(const A& x) {
  return make<typename A::Family::template Type<A::width, A::kHasSign>>(x.raw());
}
template <Arithmetic A>
constexpr bool operator!(const A& x) {
  return x.raw() == 0;
}

/// The numbers themselves are compared, whatever their signs.
template <typename A, typename B>
  requires Operands<A, B>
constexpr bool operator==(const A& a, const B& b) {
  using Raw = typename Rules<A, B>::Logic::Raw;
  return static_cast<Raw>(held(a).raw()) == static_cast<Raw>(held(b).raw());
}
template <typename A, typename B>
  requires Operands<A, B>
constexpr std::strong_ordering operator<=>(const A& a, const B& b) {
  using Raw = typename Rules<A, B>::Logic::Raw;
  return static_cast<Raw>(held(a).raw()) <=> static_cast<Raw>(held(b).raw());
}

/// |x| of an operand, and whether it is negative.
template <Operand T>
constexpr auto magnitude(const T& x) {
  const auto bits = bits_of(x);
  if constexpr (Shape<T>::kSigned) {
    return static_cast<Unsigned<Shape<T>::kWidth>>(held(x).raw() < 0 ? -bits : bits);
  } else {
    return bits;
  }
}
template <Operand T>
constexpr bool is_negative(const T& x) {
  return Shape<T>::kSigned && held(x).raw() < 0;
}

/// How far a shift goes; from the greatest width on, all amounts are the same.
template <Operand T>
constexpr auto distance(const T& amount) {
  constexpr int kBits = Shape<T>::kWidth;
  if constexpr (kBits <= 8) {
    return hls::UInt<kBits>::from_raw(magnitude(amount));
  } else {
    const Unsigned<kBits> far = magnitude(amount);
    return hls::UInt<8>::from_raw(static_cast<Unsigned<8>>(far < 128 ? far : Unsigned<kBits>{128}));
  }
}

template <typename A, typename B>
using Shifted = typename FamilyOf<A, B>::Type::template Type<Shape<A>::kWidth, Shape<A>::kSigned>;
template <typename A, typename B>
  requires Operands<A, B>
constexpr auto operator<<(const A& x, const B& amount) {
  const auto by = distance(amount);
  const auto left = held(x) << by;
  if constexpr (!Shape<B>::kSigned) return make<Shifted<A, B>>(left.raw());
  const auto right = held(x) >> by;
  return make<Shifted<A, B>>(is_negative(amount) ? right.raw() : left.raw());
}
template <typename A, typename B>
  requires Operands<A, B>
constexpr auto operator>>(const A& x, const B& amount) {
  const auto by = distance(amount);
  const auto right = held(x) >> by;
  if constexpr (!Shape<B>::kSigned) return make<Shifted<A, B>>(right.raw());
  const auto left = held(x) << by;
  return make<Shifted<A, B>>(is_negative(amount) ? left.raw() : right.raw());
}

/// Quotient and remainder of kA bits by kB bits, a bit of the quotient at a time. The remainder so
/// far is never above the bits of `a` so far, nor twice `b`.
template <int kA, int kB>
struct Division {
  using Rest = Unsigned<hls::smaller(kA, kB + 1)>;
  using Wide = Unsigned<hls::larger(kA, kB)>;

  constexpr Division(Unsigned<kA> a, Unsigned<kB> b) {
    for (int i = kA - 1; i >= 0; --i) {
      rest = static_cast<Rest>(rest + rest) | static_cast<Unsigned<1>>(a >> i);
      const bool fits = static_cast<Wide>(rest) >= static_cast<Wide>(b);
      if (fits) rest = static_cast<Rest>(rest - static_cast<Rest>(b));
      quotient =
          static_cast<Unsigned<kA>>(quotient + quotient) | static_cast<Unsigned<1>>(fits ? 1 : 0);
    }
  }
  Unsigned<kA> quotient = 0;
  Rest rest = 0;
};

template <typename A, typename B>
  requires Operands<A, B>
constexpr auto operator/(const A& a, const B& b) {
  using Result = typename Rules<A, B>::Quotient;
  using Wide = Unsigned<Shape<A>::kWidth + 1>;
  const Division<Shape<A>::kWidth, Shape<B>::kWidth> division(magnitude(a), magnitude(b));
  const auto size = static_cast<Wide>(division.quotient);
  return make<Result>(is_negative(a) != is_negative(b) ? static_cast<Wide>(-size) : size);
}
template <typename A, typename B>
  requires Operands<A, B>
constexpr auto operator%(const A& a, const B& b) {
  using Result = typename Rules<A, B>::Remainder;
  using Wide = Unsigned<Shape<A>::kWidth + 1>;
  const Division<Shape<A>::kWidth, Shape<B>::kWidth> division(magnitude(a), magnitude(b));
  const auto size = static_cast<Wide>(division.rest);
  return make<Result>(is_negative(a) ? static_cast<Wide>(-size) : size);
}

/// x op= y cuts the result to x's type; x may be a range.
#define SYSTOLE_COMPAT_ASSIGN(op)                     \
  template <Bits A, typename B>                       \
    requires(Operand<B>)                              \
  constexpr A&& operator op##=(A && a, const B & b) { \
    a = a op b;                                       \
    return static_cast<A&&>(a);                       \
  }
SYSTOLE_COMPAT_ASSIGN(+)
SYSTOLE_COMPAT_ASSIGN(-)
SYSTOLE_COMPAT_ASSIGN(*)
SYSTOLE_COMPAT_ASSIGN(/)
SYSTOLE_COMPAT_ASSIGN(%)
SYSTOLE_COMPAT_ASSIGN(&)
SYSTOLE_COMPAT_ASSIGN(|)
SYSTOLE_COMPAT_ASSIGN(^)
SYSTOLE_COMPAT_ASSIGN(<<)
SYSTOLE_COMPAT_ASSIGN(>>)
#undef SYSTOLE_COMPAT_ASSIGN

}  // namespace systole::compat
