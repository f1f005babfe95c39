#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "systole/hls/int.h"

/// What ap_int.h and ac_int.h share: a number of a width that takes any integer, cutting it.
///
/// Limits   1 to 128 bits, also of a result. A signed number of one bit, -1 or 0, is held in two
/// Numbers  the documented rules of both libraries: docs/compat.md has them as a table
/// Errors   floating point, strings, and wider results do not compile
namespace systole::compat {

/// The type of this tree that holds a number.
template <int kBits, bool kSigned>
struct Holder {
  static_assert(kBits >= 1 && kBits <= 128,
                "a value or a result has 1 to 128 bits: cast the operands to narrower types, or "
                "give a constant a width, x * ap_uint<3>(5)");
  using Type = hls::UInt<kBits>;
};
template <int kBits>
struct Holder<kBits, true> {
  static_assert(kBits >= 1 && kBits <= 128,
                "a value or a result has 1 to 128 bits: cast the operands to narrower types, or "
                "give a constant a width, x * ap_int<4>(5)");
  using Type = hls::Int<kBits>;
};
template <>
struct Holder<1, true> {
  using Type = hls::Int<2>;
};
template <int kBits, bool kSigned>
using Held = typename Holder<kBits, kSigned>::Type;
template <int kBits>
using Unsigned = unsigned _BitInt(kBits);

template <typename T>
inline constexpr bool kNever = false;

/// A number, a range or a concatenation of numbers, or one bit of a number.
template <typename T>
concept Bits = requires { typename std::remove_cvref_t<T>::Family; };
/// Of these, what takes part in arithmetic; a bit does so as a bool.
template <typename T>
concept Arithmetic = Bits<T> && !std::remove_cvref_t<T>::kIsBit;
template <typename T>
concept Operand = Bits<T> || std::integral<std::remove_cvref_t<T>>;
template <typename A, typename B>
concept Operands = Operand<A> && Operand<B> && (Arithmetic<A> || Arithmetic<B>);

/// The width and sign of an operand: those of a host integer are its type's.
template <typename T>
struct Shape {
  static constexpr int kWidth = std::is_same_v<T, bool> ? 1 : 8 * static_cast<int>(sizeof(T));
  static constexpr bool kSigned = std::is_signed_v<T>;
};
template <Bits T>
struct Shape<T> {
  static constexpr int kWidth = T::width;
  static constexpr bool kSigned = T::kHasSign;
};
template <typename A, typename B>
struct FamilyOf {
  using Type = typename B::Family;
};
template <Bits A, typename B>
struct FamilyOf<A, B> {
  using Type = typename A::Family;
};
template <Bits A, Bits B>
struct FamilyOf<A, B> {
  using Type = typename A::Family;
  static_assert(std::is_same_v<Type, typename B::Family>,
                "an ap_int and an ac_int in one expression: convert one of them");
};

/// The shapes of the results of A and B.
template <typename A, typename B>
struct Rules {
  static constexpr int kA = Shape<A>::kWidth;
  static constexpr int kB = Shape<B>::kWidth;
  static constexpr bool kSignedA = Shape<A>::kSigned;
  static constexpr bool kSignedB = Shape<B>::kSigned;
  static constexpr bool kSigned = kSignedA || kSignedB;
  static constexpr int kCommon =
      hls::larger(kA + (kSignedB && !kSignedA ? 1 : 0), kB + (kSignedA && !kSignedB ? 1 : 0));

  template <int kBits, bool kIsSigned>
  using Type = typename FamilyOf<A, B>::Type::template Type<kBits, kIsSigned>;
  using Sum = Type<kCommon + 1, kSigned>;
  using Difference = Type<kCommon + 1, true>;
  using Product = Type<kA + kB, kSigned>;
  using Quotient = Type<kA + (kSignedB ? 1 : 0), kSigned>;
  using Remainder = Type<hls::smaller(kA, kB + (kSignedA && !kSignedB ? 1 : 0)), kSignedA>;
  using Logic = Type<kCommon, kSigned>;
};

/// An operand as a value of this tree's types, and its bits.
template <typename T>
using HeldOf = Held<Shape<T>::kWidth, Shape<T>::kSigned>;
template <Operand T>
constexpr auto held(const T& x) {
  if constexpr (Bits<T>) {
    return HeldOf<T>::from_raw(x.raw());
  } else {
    return HeldOf<T>::from_raw(static_cast<typename HeldOf<T>::Raw>(x));
  }
}
template <Operand T>
constexpr auto bits_of(const T& x) {
  return static_cast<Unsigned<Shape<T>::kWidth>>(held(x).raw());
}
template <typename T, typename Raw>
constexpr T make(Raw raw) {
  T result;
  result.hold(raw);
  return result;
}

/// A bit's number: an operand that counts from 0; beyond kBits it is kBits.
template <int kBits, Operand T>
constexpr int place_of(const T& index) {
  if constexpr (Bits<T>) {
    const auto raw = bits_of(index);
    return raw < kBits ? static_cast<int>(raw) : kBits;
  } else {
    return static_cast<int>(index);
  }
}
/// An access of an array, so that hlsc's checks of arrays hold for a constant bit's number.
template <int kBits>
constexpr void check_place([[maybe_unused]] int index) {
  constexpr bool kPlaces[kBits] = {};
  static_cast<void>(kPlaces[index]);
}

/// x[index]: one bit of a number, to read or, where T is not const, to set.
template <typename T>
class Bit {
 public:
  using Family = typename T::Family;
  static constexpr bool kIsBit = true;
  static constexpr int width = 1;
  static constexpr bool kHasSign = false;

  constexpr Bit(T& of, int index) : of_(of), index_(index) {}
  constexpr Bit(const Bit&) = default;

  constexpr Unsigned<1> raw() const { return static_cast<Unsigned<1>>(of_.test(index_) ? 1 : 0); }
  constexpr operator bool() const { return of_.test(index_); }
  constexpr bool to_bool() const { return of_.test(index_); }
  constexpr bool operator~() const { return !of_.test(index_); }
  static constexpr int length() { return 1; }
  constexpr const Bit& operator=(bool bit) const {
    of_.set_bit(index_, bit);
    return *this;
  }
  constexpr const Bit& operator=(const Bit& other) const {
    return *this = static_cast<bool>(other);
  }

 private:
  T& of_;
  int index_;
};

/// What a C integer made of a number is: int where it holds every value.
template <int kBits, bool kSigned>
using Host = std::conditional_t<
    (kBits < 32 || (kSigned && kBits == 32)), int,
    std::conditional_t<(kBits == 32), unsigned,
                       std::conditional_t<kSigned, std::int64_t, std::uint64_t>>>;

/// What reading a number, a range or a concatenation as a C integer has in common: T has raw().
template <typename T, int kBits, bool kIsSigned>
class Readable {
 public:
  static constexpr bool kIsBit = false;
  static constexpr int width = kBits;
  static constexpr bool kHasSign = kIsSigned;

  constexpr operator Host<kBits, kIsSigned>() const
    requires(kBits <= 64)
  {
    return cut<Host<kBits, kIsSigned>>();
  }
  constexpr int to_int() const { return cut<int>(); }
  constexpr unsigned to_uint() const { return cut<unsigned>(); }
  constexpr long to_long() const { return cut<long>(); }
  constexpr unsigned long to_ulong() const { return cut<unsigned long>(); }
  constexpr std::int64_t to_int64() const { return cut<std::int64_t>(); }
  constexpr std::uint64_t to_uint64() const { return cut<std::uint64_t>(); }
  constexpr bool to_bool() const { return or_reduce(); }

  constexpr bool or_reduce() const { return bits() != 0; }
  constexpr bool xor_reduce() const {
    const auto all = bits();
    Unsigned<1> parity = 0;
    for (int i = 0; i < kBits; ++i) parity ^= static_cast<Unsigned<1>>(all >> i);
    return parity != 0;
  }

 protected:
  constexpr Unsigned<kBits> bits() const {
    return static_cast<Unsigned<kBits>>(static_cast<const T&>(*this).raw());
  }

 private:
  template <typename Integer>
  constexpr Integer cut() const {
    return static_cast<Integer>(static_cast<const T&>(*this).raw());
  }
};

/// A number; ap_int.h and ac_int.h add what theirs have. `Rules_::Type<bits, signed>` is its type.
template <typename Rules_, int kBits, bool kIsSigned>
class Number : public Held<kBits, kIsSigned>,
               public Readable<Number<Rules_, kBits, kIsSigned>, kBits, kIsSigned> {
  using Base = Held<kBits, kIsSigned>;
  using Read = Readable<Number, kBits, kIsSigned>;

 public:
  using Family = Rules_;
  using Raw = typename Base::Raw;
  using Self = typename Family::template Type<kBits, kIsSigned>;

  constexpr Number() = default;
  /// The low bits of any integer, extended by its own sign.
  template <Operand T>
  constexpr Number(const T& x) {
    hold(held(x).raw());
  }
  template <typename T>
    requires std::floating_point<T>
  constexpr Number(T) {
    static_assert(kNever<T>, "no floating point here: write the constant as a scaled integer");
  }
  template <std::same_as<char> T>
  constexpr Number(const T*) {
    static_assert(kNever<T>, "no strings here: write the number, 0x1f or 0b101");
  }

  template <typename Any>
  constexpr void hold(Any raw) {
    if constexpr (kIsSigned && kBits == 1) {
      const bool is_negative = (static_cast<Unsigned<2>>(raw) & 1) != 0;
      Base::operator=(Base::from_raw(static_cast<Raw>(is_negative ? -1 : 0)));
    } else {
      Base::operator=(Base::from_raw(static_cast<Raw>(raw)));
    }
  }

  static constexpr int length() { return kBits; }
  constexpr bool and_reduce() const {
    return this->bits() == static_cast<Unsigned<kBits>>(~Unsigned<kBits>{0});
  }

  /// A constant index is one of the number's bits; beyond it a variable reads 0 and sets nothing.
  template <Operand T>
  constexpr Bit<Number> operator[](const T& index) {
    return {*this, checked(index)};
  }
  template <Operand T>
  constexpr Bit<const Number> operator[](const T& index) const {
    return {*this, checked(index)};
  }
  constexpr bool test(int index) const { return Base::has_bit(index); }
  constexpr void set_bit(int index, bool bit) {
    Base::set_bit(index, bit);
    if constexpr (kIsSigned && kBits == 1) hold(this->raw());
  }

  constexpr Self& operator++() { return self() = self() + true; }
  constexpr Self& operator--() { return self() = self() - true; }
  constexpr Self operator++(int) {
    const Self old = self();
    ++*this;
    return old;
  }
  constexpr Self operator--(int) {
    const Self old = self();
    --*this;
    return old;
  }

  /// For a test bench that fills ports.
  template <typename Visit>
  constexpr void each_field(Visit&& visit) {
    visit(static_cast<Base&>(*this));
  }
  template <typename Visit>
  constexpr void each_field(Visit&& visit) const {
    visit(static_cast<const Base&>(*this));
  }

 protected:
  constexpr Self& self() { return static_cast<Self&>(*this); }
  constexpr const Self& self() const { return static_cast<const Self&>(*this); }
  template <Operand T>
  static constexpr int checked(const T& index) {
    const int place = place_of<kBits>(index);
    if constexpr (!Bits<T>) check_place<kBits>(place);
    return place;
  }
};

}  // namespace systole::compat

#include "systole/hls/compat/operators.h"
