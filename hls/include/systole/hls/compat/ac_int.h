#pragma once

#include "systole/hls/compat/number.h"

/// ac_int<W, Signed> as kernels for Catapult use it, over this tree's integers.
///
/// Limits   docs/compat.md: what there is, the widths of results, and what is refused
/// Source   the public interface of the Algorithmic C data types; no code of it
template <int kBits, bool kSigned = true>
class ac_int;

/// What set_val takes.
enum ac_special_val { AC_VAL_DC, AC_VAL_0, AC_VAL_MIN, AC_VAL_MAX, AC_VAL_QUANTUM };

namespace systole::compat {

struct AcRules {
  template <int kBits, bool kSigned>
  using Type = ac_int<kBits, kSigned>;
  static constexpr bool kComplementIsSigned = true;
};

}  // namespace systole::compat

template <int kBits, bool kSigned>
class ac_int : public systole::compat::Number<systole::compat::AcRules, kBits, kSigned> {
  using Base = systole::compat::Number<systole::compat::AcRules, kBits, kSigned>;
  template <int kWidth>
  using Unsigned = systole::compat::Unsigned<kWidth>;

 public:
  using Base::Base;
  static constexpr bool sign = kSigned;

  /// kWidth bits from `low` on, of the number's own sign.
  template <int kWidth, systole::compat::Operand Low>
  constexpr ac_int<kWidth, kSigned> slc(const Low& low) const {
    static_assert(kWidth <= kBits, "slc<N> of a number with fewer than N bits");
    const auto bits = systole::hls::UInt<kBits>::from_raw(this->bits());
    return systole::compat::make<ac_int<kWidth, kSigned>>((bits >> place<kWidth>(low)).raw());
  }
  template <systole::compat::Operand Low, int kWidth, bool kOtherSigned>
  constexpr ac_int& set_slc(const Low& low, const ac_int<kWidth, kOtherSigned>& value) {
    static_assert(kWidth <= kBits, "set_slc of more bits than the number has");
    using All = systole::hls::UInt<kBits>;
    const int at = place<kWidth>(low);
    const All bits = All::from_raw(this->bits());
    const All ones = All::from_raw(
        static_cast<Unsigned<kBits>>(static_cast<Unsigned<kWidth>>(~Unsigned<kWidth>{0})));
    const All part = All::from_raw(static_cast<Unsigned<kBits>>(systole::compat::bits_of(value)));
    this->hold(((bits & ~(ones << at)) | (part << at)).raw());
    return *this;
  }

  template <ac_special_val kValue>
  constexpr ac_int& set_val() {
    static_assert(kValue != AC_VAL_DC, "AC_VAL_DC is no value: write AC_VAL_0");
    const auto top = static_cast<Unsigned<kBits>>(Unsigned<kBits>{1} << (kBits - 1));
    if constexpr (kValue == AC_VAL_MIN) {
      this->hold(kSigned ? top : Unsigned<kBits>{0});
    } else if constexpr (kValue == AC_VAL_MAX) {
      this->hold(static_cast<Unsigned<kBits>>(kSigned ? ~top : ~Unsigned<kBits>{0}));
    } else {
      this->hold(static_cast<Unsigned<kBits>>(kValue == AC_VAL_QUANTUM ? 1 : 0));
    }
    return *this;
  }
  constexpr ac_int<kBits, false> bit_complement() const {
    return systole::compat::make<ac_int<kBits, false>>(~this->bits());
  }
  constexpr ac_int reverse() const {
    Unsigned<kBits> reversed = 0;
    for (int i = 0; i < kBits; ++i) {
      reversed = static_cast<Unsigned<kBits>>(reversed + reversed) |
                 static_cast<Unsigned<1>>(this->bits() >> i);
    }
    return systole::compat::make<ac_int>(reversed);
  }
  /// Bits at the top that repeat the sign: beyond the sign bit itself, or zeros of an unsigned one.
  constexpr int leading_sign() const {
    const bool top = kSigned && this->test(kBits - 1);
    int count = kSigned ? kBits - 1 : kBits;
    for (int i = 0; i < (kSigned ? kBits - 1 : kBits); ++i) {
      if (this->test(i) != top) count = (kSigned ? kBits - 2 : kBits - 1) - i;
    }
    return count;
  }

 private:
  template <int kWidth, typename Low>
  static constexpr int place(const Low& low) {
    const int at = systole::compat::place_of<kBits>(low);
    if constexpr (!systole::compat::Bits<Low>) {
      systole::compat::check_place<kBits - kWidth + 1>(at);
    }
    return at;
  }
};
