#pragma once

#include "systole/hls/compat/number.h"

/// Parts of an ap_int and what `(a, b)` makes of them. Include ap_int.h, which includes this.
namespace systole::compat {

/// x(high, low): bits high down to low as an unsigned number, as wide as x; T is const to read
/// only.
///
/// Limits   low <= high: the reversed order that Vitis reads there is x.reverse() here
template <typename T>
class Range : public Readable<Range<T>, T::width, false> {
 public:
  using Family = typename T::Family;
  static constexpr int width = T::width;

  constexpr Range(T& of, int high, int low) : of_(of), high_(high), low_(low) {
    constexpr bool kHighBeforeLow[1] = {};
    static_cast<void>(kHighBeforeLow[high < low ? 1 : 0]);
  }
  constexpr Range(const Range&) = default;

  constexpr int length() const { return high_ - low_ + 1; }
  constexpr Unsigned<width> raw() const { return ((whole() >> low_) & ones()).raw(); }
  constexpr auto get() const { return make<typename Family::template Type<width, false>>(raw()); }
  constexpr bool and_reduce() const { return raw() == ones().raw(); }

  template <Operand V>
  constexpr const Range& operator=(const V& value) const {
    const auto part = hls::UInt<width>::from_raw(static_cast<Unsigned<width>>(held(value).raw()));
    of_.hold(((whole() & ~(ones() << low_)) | ((part & ones()) << low_)).raw());
    return *this;
  }
  constexpr const Range& operator=(const Range& other) const { return *this = other.get(); }

 private:
  constexpr auto whole() const { return hls::UInt<width>::from_raw(bits_of(of_)); }
  constexpr auto ones() const { return ~hls::UInt<width>() >> (width - 1 - (high_ - low_)); }

  T& of_;
  int high_;
  int low_;
};

/// {high, low}: A and B are references to numbers, or ranges, bits and concatenations.
template <typename A, typename B>
class Concatenation
    : public Readable<Concatenation<A, B>,
                      std::remove_cvref_t<A>::width + std::remove_cvref_t<B>::width, false> {
 public:
  using Family = typename std::remove_cvref_t<A>::Family;
  static constexpr int width = std::remove_cvref_t<A>::width + std::remove_cvref_t<B>::width;

  constexpr Concatenation(A high, B low) : high_(high), low_(low) {}
  constexpr Concatenation(const Concatenation&) = default;

  constexpr int length() const { return high_.length() + low_.length(); }
  constexpr Unsigned<width> raw() const {
    const auto high = hls::UInt<width>::from_raw(static_cast<Unsigned<width>>(bits_of(high_)));
    const auto low = hls::UInt<width>::from_raw(static_cast<Unsigned<width>>(bits_of(low_)));
    return ((high << low_.length()) | low).raw();
  }
  constexpr auto get() const { return make<typename Family::template Type<width, false>>(raw()); }

  template <Operand V>
  constexpr const Concatenation& operator=(const V& value) const {
    const auto all = hls::UInt<width>::from_raw(static_cast<Unsigned<width>>(held(value).raw()));
    using Number = typename Family::template Type<width, false>;
    set(low_, make<Number>(all.raw()));
    set(high_, make<Number>((all >> low_.length()).raw()));
    return *this;
  }
  constexpr const Concatenation& operator=(const Concatenation& other) const {
    return *this = other.get();
  }

 private:
  template <typename Part, typename Number>
  static constexpr void set(Part& part, const Number& value) {
    if constexpr (std::remove_cvref_t<Part>::kIsBit) {
      part = value[0];
    } else {
      part = value;
    }
  }

  A high_;
  B low_;
};

/// How a concatenation keeps a part: a number by reference, the others by value.
template <typename T>
concept Kept =
    requires(const std::remove_cvref_t<T>& x) { x.get(); } || std::remove_cvref_t<T>::kIsBit;
template <typename T>
using Part = std::conditional_t<Kept<T>, std::remove_cvref_t<T>, T&>;

struct ApRules;
template <typename T>
concept ApBits = Bits<T> && std::same_as<typename std::remove_cvref_t<T>::Family, ApRules>;

/// (high, low).
template <ApBits A, ApBits B>
constexpr auto operator,(A&& high, B&& low) {
  return Concatenation<Part<A>, Part<B>>(high, low);
}
template <ApBits A, std::integral B>
constexpr auto operator,(A&&, B) {
  static_assert(kNever<B>, "(x, 1) would drop x: give the constant a width, (x, ap_uint<4>(1))");
}
template <std::integral A, ApBits B>
constexpr auto operator,(A, B&&) {
  static_assert(kNever<A>, "(1, x) would drop 1: give the constant a width, (ap_uint<4>(1), x)");
}

}  // namespace systole::compat
