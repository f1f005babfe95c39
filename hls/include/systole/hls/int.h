#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace systole::hls {

/// Integers of any width whose arithmetic never loses a bit.
///
/// Limits   UInt<N>: 1 <= N <= 4096; Int<N>: 2 <= N <= 4096
/// Numbers  a + b, a - b and a * b are as wide as their exact result needs (UInt - UInt is an Int);
///          & | ^ take two UInts and give the wider; ~ keeps the width. A wider type takes a
///          narrower one implicitly; losing bits is always spelled out: truncate<T>(x).
/// Errors   a literal that does not fit, or an implicit narrowing, does not compile
/// Source   the rules of ac_int and ap_int, without their implicit truncation
template <int kBits>
class UInt;
template <int kBits>
class Int;

template <typename T>
inline constexpr bool kIsUInt = false;
template <int kBits>
inline constexpr bool kIsUInt<UInt<kBits>> = true;
template <typename T>
inline constexpr bool kIsInt = false;
template <int kBits>
inline constexpr bool kIsInt<Int<kBits>> = true;

template <typename T>
concept HlsInteger = kIsUInt<T> || kIsInt<T>;

/// Not those of <algorithm>, which takes hlsc and every native kernel longer to read than all of
/// this.
constexpr int larger(int a, int b) { return a < b ? b : a; }
constexpr int smaller(int a, int b) { return a < b ? a : b; }

/// Bits needed to hold 0 .. count - 1; at least 1.
constexpr int index_bits(int count) {
  int bits = 1;
  while ((std::int64_t{1} << bits) < count) ++bits;
  return bits;
}

/// How a value's bits are passed: from 129 on by reference, since a copy of them would be one of
/// bytes. Nor are variables of this type const, on which clang 19 fails.
template <typename Raw>
using PassedBits = std::conditional_t<(sizeof(Raw) > 16), const Raw&, Raw>;

/// Not constexpr, so a literal too large for its type does not compile; the message names this.
inline void literal_does_not_fit() {}

/// One bit of a value, to read or to set.
template <typename T>
struct BitReference {
  T& value;
  int index;

  constexpr operator bool() const { return value.has_bit(index); }
  constexpr const BitReference& operator=(bool bit) const {
    value.set_bit(index, bit);
    return *this;
  }
  template <typename Bit>
    requires(Bit::kWidth == 1 && !Bit::kSigned)
  constexpr const BitReference& operator=(const Bit& bit) const {
    return *this = bit.raw() != 0;
  }
  constexpr const BitReference& operator=(const BitReference& other) const {
    return *this = static_cast<bool>(other);
  }
};

template <int kBits>
class UInt {
  static_assert(kBits >= 1 && kBits <= 4096, "UInt holds 1 to 4096 bits");

 public:
  using Raw = unsigned _BitInt(kBits);
  static constexpr int kWidth = kBits;
  static constexpr bool kSigned = false;

  constexpr UInt() : bits_(0) {}
  /// Copying is user-defined so that values cross module boundaries in memory: `hlsc` then sees
  /// each port by name, whatever the host's calling convention does with small structs.
  constexpr UInt(const UInt& other) : bits_(other.bits_) {}
  constexpr UInt& operator=(const UInt& other) {
    bits_ = other.bits_;
    return *this;
  }

  template <std::integral T>
  consteval UInt(T literal) : bits_(static_cast<Raw>(literal)) {
    if (literal < 0 || static_cast<T>(bits_) != literal) literal_does_not_fit();
  }
  template <int kOther>
    requires(kOther < kBits)
  constexpr UInt(const UInt<kOther>& narrower) : bits_(narrower.raw()) {}

  /// The low bits of a host integer; for the host to make a value.
  static constexpr UInt from(std::uint64_t value) { return from_raw(static_cast<Raw>(value)); }
  static constexpr UInt from_raw(PassedBits<Raw> raw) {
    UInt result;
    result.bits_ = raw;
    return result;
  }
  constexpr PassedBits<Raw> raw() const { return bits_; }
  /// The low 64 bits, for the host to read.
  constexpr std::uint64_t value() const { return static_cast<std::uint64_t>(bits_); }

  constexpr explicit operator bool() const { return bits_ != 0; }

  /// x[index]: a bit, to read or to set. A constant index is one of the value's; beyond it a
  /// variable reads 0 and sets nothing.
  constexpr bool operator[](int index) const {
    check(index);
    return has_bit(index);
  }
  constexpr BitReference<UInt> operator[](int index) {
    check(index);
    return {*this, index};
  }
  template <int kIndex>
  constexpr bool operator[](const UInt<kIndex>& index) const {
    return has_bit(place_of(index));
  }
  template <int kIndex>
  constexpr BitReference<UInt> operator[](const UInt<kIndex>& index) {
    return {*this, place_of(index)};
  }
  constexpr bool has_bit(int index) const {
    return static_cast<unsigned>(index) < kBits && (static_cast<Bits>(bits_) >> index & 1) != 0;
  }
  constexpr void set_bit(int index, bool bit) {
    if (static_cast<unsigned>(index) >= kBits) return;
    auto mask = static_cast<Bits>(Bits{1} << index);
    auto bits = static_cast<Bits>(bits_);
    bits_ =
        static_cast<Raw>(bit ? static_cast<Bits>(bits | mask) : static_cast<Bits>(bits & ~mask));
  }

 private:
  using Bits = unsigned _BitInt(kBits);

  template <int kIndex>
  static constexpr int place_of(const UInt<kIndex>& index) {
    return index.raw() < kBits ? static_cast<int>(index.raw()) : kBits;
  }
  /// An access of an array as long as the value, so that the checks of arrays hold for its bits.
  static constexpr void check([[maybe_unused]] int index) {
    constexpr bool kBitsOfValue[kBits] = {};
    static_cast<void>(kBitsOfValue[index]);
  }

  Raw bits_;
};

template <int kBits>
class Int {
  static_assert(kBits >= 2 && kBits <= 4096, "Int holds 2 to 4096 bits");

 public:
  using Raw = signed _BitInt(kBits);
  static constexpr int kWidth = kBits;
  static constexpr bool kSigned = true;

  constexpr Int() : bits_(0) {}
  constexpr Int(const Int& other) : bits_(other.bits_) {}
  constexpr Int& operator=(const Int& other) {
    bits_ = other.bits_;
    return *this;
  }

  template <std::integral T>
  consteval Int(T literal) : bits_(static_cast<Raw>(literal)) {
    if (static_cast<T>(bits_) != literal) literal_does_not_fit();
  }
  template <int kOther>
    requires(kOther < kBits)
  constexpr Int(const Int<kOther>& narrower) : bits_(narrower.raw()) {}
  template <int kOther>
    requires(kOther < kBits)
  constexpr Int(const UInt<kOther>& narrower) : bits_(static_cast<Raw>(narrower.raw())) {}

  static constexpr Int from(std::int64_t value) { return from_raw(static_cast<Raw>(value)); }
  static constexpr Int from_raw(PassedBits<Raw> raw) {
    Int result;
    result.bits_ = raw;
    return result;
  }
  constexpr PassedBits<Raw> raw() const { return bits_; }
  constexpr std::int64_t value() const { return static_cast<std::int64_t>(bits_); }

  /// x[index]: a bit, to read or to set. A constant index is one of the value's; beyond it a
  /// variable reads 0 and sets nothing.
  constexpr bool operator[](int index) const {
    check(index);
    return has_bit(index);
  }
  constexpr BitReference<Int> operator[](int index) {
    check(index);
    return {*this, index};
  }
  template <int kIndex>
  constexpr bool operator[](const UInt<kIndex>& index) const {
    return has_bit(place_of(index));
  }
  template <int kIndex>
  constexpr BitReference<Int> operator[](const UInt<kIndex>& index) {
    return {*this, place_of(index)};
  }
  constexpr bool has_bit(int index) const {
    return static_cast<unsigned>(index) < kBits && (static_cast<Bits>(bits_) >> index & 1) != 0;
  }
  constexpr void set_bit(int index, bool bit) {
    if (static_cast<unsigned>(index) >= kBits) return;
    auto mask = static_cast<Bits>(Bits{1} << index);
    auto bits = static_cast<Bits>(bits_);
    bits_ =
        static_cast<Raw>(bit ? static_cast<Bits>(bits | mask) : static_cast<Bits>(bits & ~mask));
  }

 private:
  using Bits = unsigned _BitInt(kBits);

  template <int kIndex>
  static constexpr int place_of(const UInt<kIndex>& index) {
    return index.raw() < kBits ? static_cast<int>(index.raw()) : kBits;
  }
  /// An access of an array as long as the value, so that the checks of arrays hold for its bits.
  static constexpr void check([[maybe_unused]] int index) {
    constexpr bool kBitsOfValue[kBits] = {};
    static_cast<void>(kBitsOfValue[index]);
  }

  Raw bits_;
};

/// x cut or extended to T: keeps the low bits, extends by x's own sign.
template <HlsInteger T, HlsInteger U>
constexpr T truncate(const U& x) {
  return T::from_raw(static_cast<typename T::Raw>(x.raw()));
}

/// x's bits as an unsigned value.
template <int kBits>
constexpr UInt<kBits> as_unsigned(const Int<kBits>& x) {
  return truncate<UInt<kBits>>(x);
}
template <int kBits>
constexpr Int<kBits> as_signed(const UInt<kBits>& x) {
  return truncate<Int<kBits>>(x);
}

/// Exact sums, differences and products.
template <int kA, int kB>
constexpr auto operator+(const UInt<kA>& a, const UInt<kB>& b) {
  using Result = UInt<larger(kA, kB) + 1>;
  return Result::from_raw(static_cast<typename Result::Raw>(a.raw()) + b.raw());
}
template <int kA, int kB>
constexpr auto operator+(const Int<kA>& a, const Int<kB>& b) {
  using Result = Int<larger(kA, kB) + 1>;
  return Result::from_raw(static_cast<typename Result::Raw>(a.raw()) + b.raw());
}
template <int kA, int kB>
constexpr auto operator-(const UInt<kA>& a, const UInt<kB>& b) {
  using Result = Int<larger(kA, kB) + 1>;
  return Result::from_raw(static_cast<typename Result::Raw>(a.raw()) -
                          static_cast<typename Result::Raw>(b.raw()));
}
template <int kA, int kB>
constexpr auto operator-(const Int<kA>& a, const Int<kB>& b) {
  using Result = Int<larger(kA, kB) + 1>;
  return Result::from_raw(static_cast<typename Result::Raw>(a.raw()) - b.raw());
}
template <int kA, int kB>
constexpr auto operator*(const UInt<kA>& a, const UInt<kB>& b) {
  using Result = UInt<kA + kB>;
  return Result::from_raw(static_cast<typename Result::Raw>(a.raw()) * b.raw());
}
template <int kA, int kB>
constexpr auto operator*(const Int<kA>& a, const Int<kB>& b) {
  using Result = Int<kA + kB>;
  return Result::from_raw(static_cast<typename Result::Raw>(a.raw()) * b.raw());
}

template <int kA, int kB>
constexpr auto operator&(const UInt<kA>& a, const UInt<kB>& b) {
  using Result = UInt<larger(kA, kB)>;
  return Result::from_raw(static_cast<typename Result::Raw>(a.raw()) & b.raw());
}
template <int kA, int kB>
constexpr auto operator|(const UInt<kA>& a, const UInt<kB>& b) {
  using Result = UInt<larger(kA, kB)>;
  return Result::from_raw(static_cast<typename Result::Raw>(a.raw()) | b.raw());
}
template <int kA, int kB>
constexpr auto operator^(const UInt<kA>& a, const UInt<kB>& b) {
  using Result = UInt<larger(kA, kB)>;
  return Result::from_raw(static_cast<typename Result::Raw>(a.raw()) ^ b.raw());
}
template <int kBits>
constexpr UInt<kBits> operator~(const UInt<kBits>& x) {
  return UInt<kBits>::from_raw(static_cast<typename UInt<kBits>::Raw>(~x.raw()));
}

/// Shifts keep the width; shifting by the width or more gives 0 (or the sign, for an Int >> n).
template <int kBits, int kAmount>
constexpr UInt<kBits> operator<<(const UInt<kBits>& x, const UInt<kAmount>& amount) {
  using Raw = typename UInt<kBits>::Raw;
  if constexpr (kAmount < 31 && (1 << kAmount) <= kBits) {
    return UInt<kBits>::from_raw(static_cast<Raw>(x.raw() << amount.raw()));
  } else {
    return UInt<kBits>::from_raw(amount.raw() < kBits ? static_cast<Raw>(x.raw() << amount.raw())
                                                      : Raw{0});
  }
}
template <int kBits, int kAmount>
constexpr UInt<kBits> operator>>(const UInt<kBits>& x, const UInt<kAmount>& amount) {
  using Raw = typename UInt<kBits>::Raw;
  if constexpr (kAmount < 31 && (1 << kAmount) <= kBits) {
    return UInt<kBits>::from_raw(static_cast<Raw>(x.raw() >> amount.raw()));
  } else {
    return UInt<kBits>::from_raw(amount.raw() < kBits ? static_cast<Raw>(x.raw() >> amount.raw())
                                                      : Raw{0});
  }
}

template <int kBits, int kAmount>
constexpr Int<kBits> operator>>(const Int<kBits>& x, const UInt<kAmount>& amount) {
  using Raw = typename Int<kBits>::Raw;
  if constexpr (kAmount < 31 && (1 << kAmount) <= kBits) {
    return Int<kBits>::from_raw(static_cast<Raw>(x.raw() >> amount.raw()));
  } else {
    return Int<kBits>::from_raw(amount.raw() < kBits ? static_cast<Raw>(x.raw() >> amount.raw())
                                                     : static_cast<Raw>(x.raw() < 0 ? -1 : 0));
  }
}

template <int kBits>
constexpr bool operator==(const UInt<kBits>& a, const std::type_identity_t<UInt<kBits>>& b) {
  return a.raw() == b.raw();
}
template <int kBits>
constexpr auto operator<=>(const UInt<kBits>& a, const std::type_identity_t<UInt<kBits>>& b) {
  return a.raw() <=> b.raw();
}
template <int kBits>
constexpr bool operator==(const Int<kBits>& a, const std::type_identity_t<Int<kBits>>& b) {
  return a.raw() == b.raw();
}
template <int kBits>
constexpr auto operator<=>(const Int<kBits>& a, const std::type_identity_t<Int<kBits>>& b) {
  return a.raw() <=> b.raw();
}

/// x[kHigh:kLow], as SystemVerilog writes it.
template <int kHigh, int kLow, HlsInteger T>
constexpr auto slice(const T& x) {
  static_assert(0 <= kLow && kLow <= kHigh && kHigh < T::kWidth, "slice outside the value");
  using Result = UInt<kHigh - kLow + 1>;
  using Wide = unsigned _BitInt(T::kWidth);
  return Result::from_raw(static_cast<typename Result::Raw>(static_cast<Wide>(x.raw()) >> kLow));
}

/// x[kIndex].
template <int kIndex, HlsInteger T>
constexpr bool bit(const T& x) {
  return static_cast<bool>(slice<kIndex, kIndex>(x));
}

/// {high, low}, as SystemVerilog writes it.
template <int kHigh, int kLow>
constexpr auto concat(const UInt<kHigh>& high, const UInt<kLow>& low) {
  using Raw = typename UInt<kHigh + kLow>::Raw;
  return UInt<kHigh + kLow>::from_raw((static_cast<Raw>(high.raw()) << kLow) | low.raw());
}
template <int kA, int kB, int kC>
constexpr auto concat(const UInt<kA>& a, const UInt<kB>& b, const UInt<kC>& c) {
  return concat(concat(a, b), c);
}

/// The value of T nearest to x.
template <HlsInteger T, int kFrom>
constexpr T saturate(const Int<kFrom>& x) {
  static_assert(kIsInt<T> && T::kWidth < kFrom, "saturate gives an Int narrower than its argument");
  const auto sign_and_above = slice<kFrom - 1, T::kWidth - 1>(x);
  const bool fits = sign_and_above == 0 || ~sign_and_above == 0;
  const UInt<T::kWidth> largest = ~UInt<T::kWidth - 1>(0);
  const UInt<T::kWidth> nearest = bit<kFrom - 1>(x) ? ~largest : largest;
  return as_signed(fits ? truncate<UInt<T::kWidth>>(x) : nearest);
}

constexpr UInt<1> as_bit(bool condition) { return UInt<1>::from(condition ? 1 : 0); }

}  // namespace systole::hls

#include "systole/hls/int_operators.h"

namespace systole::hls {

using UInt1 = UInt<1>;
using UInt8 = UInt<8>;
using UInt16 = UInt<16>;
using UInt32 = UInt<32>;
using Int8 = Int<8>;
using Int16 = Int<16>;
using Int32 = Int<32>;

}  // namespace systole::hls
