#pragma once

#include "systole/hls/compat/ap_range.h"
#include "systole/hls/compat/number.h"

/// ap_int<W> and ap_uint<W> as kernels for Vitis HLS use them, over this tree's integers.
///
/// Limits   docs/compat.md: what there is, the widths of results, and what is refused
/// Source   the public interface that UG1399 documents; no code of it
template <int kBits>
class ap_int;
template <int kBits>
class ap_uint;

namespace systole::compat {

struct ApRules {
  template <int kBits, bool kSigned>
  using Type = std::conditional_t<kSigned, ap_int<kBits>, ap_uint<kBits>>;
  static constexpr bool kComplementIsSigned = false;
};

/// What both have beyond a number.
template <int kBits, bool kSigned>
class ApNumber : public Number<ApRules, kBits, kSigned> {
  using Base = Number<ApRules, kBits, kSigned>;

 public:
  using Base::Base;
  using typename Base::Self;

  /// x(high, low), x.range(high, low): a part, to read or to assign.
  template <Operand High, Operand Low>
  constexpr Range<Base> range(const High& high, const Low& low) {
    return {*this, Base::checked(high), Base::checked(low)};
  }
  template <Operand High, Operand Low>
  constexpr Range<const Base> range(const High& high, const Low& low) const {
    return {*this, Base::checked(high), Base::checked(low)};
  }
  template <Operand High, Operand Low>
  constexpr Range<Base> operator()(const High& high, const Low& low) {
    return range(high, low);
  }
  template <Operand High, Operand Low>
  constexpr Range<const Base> operator()(const High& high, const Low& low) const {
    return range(high, low);
  }
  constexpr Range<Base> range() { return range(kBits - 1, 0); }
  constexpr Range<const Base> range() const { return range(kBits - 1, 0); }

  template <Operand T>
  constexpr Bit<Base> bit(const T& index) {
    return (*this)[index];
  }
  template <Operand T>
  constexpr bool bit(const T& index) const {
    return (*this)[index];
  }
  template <Operand T>
  constexpr bool get_bit(const T& index) const {
    return (*this)[index];
  }
  template <Operand T>
  constexpr bool test(const T& index) const {
    return Base::test(Base::checked(index));
  }
  template <Operand T>
  constexpr void set_bit(const T& index, bool value) {
    Base::set_bit(Base::checked(index), value);
  }
  template <Operand T>
  constexpr void set(const T& index) {
    set_bit(index, true);
  }
  template <Operand T>
  constexpr void set(const T& index, bool value) {
    set_bit(index, value);
  }
  template <Operand T>
  constexpr void clear(const T& index) {
    set_bit(index, false);
  }
  template <Operand T>
  constexpr void invert(const T& index) {
    set_bit(index, !test(index));
  }

  template <Bits T>
  constexpr auto concat(const T& low) const {
    return Concatenation<const Base&, const T&>(*this, low);
  }
  constexpr Self& reverse() {
    Unsigned<kBits> reversed = 0;
    for (int i = 0; i < kBits; ++i) {
      reversed = static_cast<Unsigned<kBits>>(reversed + reversed) |
                 static_cast<Unsigned<1>>(this->bits() >> i);
    }
    this->hold(reversed);
    return this->self();
  }
  /// Rotated by 0 <= amount < length().
  template <Operand T>
  constexpr void lrotate(const T& amount) {
    this->hold(rotated(place_of<kBits>(amount)));
  }
  template <Operand T>
  constexpr void rrotate(const T& amount) {
    this->hold(rotated(kBits - place_of<kBits>(amount)));
  }
  constexpr void b_not() { this->hold(~this->bits()); }

  constexpr bool nand_reduce() const { return !this->and_reduce(); }
  constexpr bool nor_reduce() const { return !this->or_reduce(); }
  constexpr bool xnor_reduce() const { return !this->xor_reduce(); }
  constexpr bool iszero() const { return !this->or_reduce(); }
  constexpr bool sign() const { return kSigned && Base::test(kBits - 1); }
  constexpr int countLeadingZeros() const {
    int zeros = kBits;
    for (int i = 0; i < kBits; ++i) {
      if (Base::test(i)) zeros = kBits - 1 - i;
    }
    return zeros;
  }

 private:
  constexpr auto rotated(int amount) const {
    const auto bits = hls::UInt<kBits>::from_raw(this->bits());
    return ((bits << amount) | (bits >> (kBits - amount))).raw();
  }
};

}  // namespace systole::compat

template <int kBits>
class ap_int : public systole::compat::ApNumber<kBits, true> {
 public:
  using systole::compat::ApNumber<kBits, true>::ApNumber;
};
template <int kBits>
class ap_uint : public systole::compat::ApNumber<kBits, false> {
 public:
  using systole::compat::ApNumber<kBits, false>::ApNumber;
};
