#include "hls/reference/convert.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "hls/reference/fp32.h"

namespace systole::reference {
namespace {

/// A number, with subnormals read as zeros; exact.
double value_of(std::uint32_t fp32_bits) {
  return std::bit_cast<float>(is_zero(fp32_bits) ? fp32_bits & kSignBit : fp32_bits);
}

}  // namespace

std::uint16_t fp32_to_bf16_stochastic(std::uint32_t bits, std::uint16_t random) {
  if (is_nan(bits) || is_zero(bits)) return fp32_to_bf16(bits);
  const std::uint32_t kept = bits >> 16;
  const bool up = (bits & 0xffff) + random >= 0x10000;
  return static_cast<std::uint16_t>(kept + (up ? 1 : 0));
}

std::uint32_t random_step(std::uint32_t state) {
  constexpr std::uint32_t kTaps = 1u << 31 | 1u << 30 | 1u << 29 | 1u << 9;
  for (int i = 0; i < 16; ++i) {
    state = state << 1 | static_cast<std::uint32_t>(std::popcount(state & kTaps) % 2);
  }
  return state;
}

std::uint32_t int32_to_fp32(std::int32_t value) { return round_to_fp32(Exact{value} << 266); }

std::int8_t requantize(std::int32_t sum, std::uint16_t scale, int shift) {
  const std::int64_t doubled = 2 * std::int64_t{sum} * scale;
  const std::int64_t rounded = (doubled + (std::int64_t{1} << shift)) >> (shift + 1);  // downward
  return static_cast<std::int8_t>(std::clamp<std::int64_t>(rounded, -128, 127));
}

std::int8_t quantize(std::uint32_t value, std::uint16_t scale) {
  const double product = value_of(value) * value_of(bf16_to_fp32(scale));  // 32 bits: exact
  if (std::isnan(product)) return 0;
  return static_cast<std::int8_t>(std::floor(std::clamp(product, -128.0, 127.0) + 0.5));
}

}  // namespace systole::reference
