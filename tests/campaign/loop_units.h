#pragma once

#include "systole/hls/int.h"
#include "systole/hls/int_operators.h"
#include "systole/hls/pipeline.h"

// What random functions over arrays call beside operators.
namespace systole::tests {

/// The integer that an ap_int or ac_int holds.
template <int kBits>
constexpr hls::UInt<kBits>& plain(hls::UInt<kBits>& x) {
  return x;
}
template <int kBits>
constexpr const hls::UInt<kBits>& plain(const hls::UInt<kBits>& x) {
  return x;
}
template <int kBits>
constexpr hls::Int<kBits>& plain(hls::Int<kBits>& x) {
  return x;
}
template <int kBits>
constexpr const hls::Int<kBits>& plain(const hls::Int<kBits>& x) {
  return x;
}

/// A T, which may be an ap_int or ac_int, of an integer.
template <typename T, typename U>
constexpr T held(const U& x) {
  T result = 0;
  plain(result) = x;
  return result;
}

/// The low bits of a value, or the value extended, as a T.
template <typename T, typename U>
constexpr T fit(const U& x) {
  return T::from_raw(static_cast<typename T::Raw>(x.raw()));
}

/// A divisor.
template <typename T>
constexpr T not_zero(const T& x) {
  return x.raw() == 0 ? T::from_raw(static_cast<typename T::Raw>(1)) : x;
}

/// Two functions that are units of several clocks.
constexpr hls::UInt<20> blend(const hls::UInt<11>& a, const hls::UInt<9>& b) {
  return hls::truncate<hls::UInt<20>>(a * b + (a ^ (a >> hls::UInt<2>(3))));
}
constexpr hls::Int<17> weigh(const hls::Int<13>& a, const hls::UInt<6>& b, const hls::Int<13>& c) {
  return hls::truncate<hls::Int<17>>(((a * b) >> hls::UInt<2>(2)) - c);
}

}  // namespace systole::tests
