#include "hls/reference/fp32.h"

#include <array>
#include <bit>
#include <iterator>

namespace systole::reference {
namespace {

std::uint32_t exponent_field(std::uint32_t bits) { return (bits >> 23) & 0xff; }

int bit_length(Exact magnitude) {
  const auto words = std::bit_cast<std::array<std::uint64_t, kExactBits / 64>>(magnitude);
  for (int word = std::ssize(words) - 1; word >= 0; --word) {
    if (words[word] != 0) return 64 * word + static_cast<int>(std::bit_width(words[word]));
  }
  return 0;
}

}  // namespace

bool is_nan(std::uint32_t bits) { return (bits & ~kSignBit) > kInfinity; }
bool is_infinite(std::uint32_t bits) { return (bits & ~kSignBit) == kInfinity; }
bool is_zero(std::uint32_t bits) { return exponent_field(bits) == 0; }

Exact exact_fp32(std::uint32_t bits) {
  if (is_zero(bits)) return 0;
  const std::uint32_t significand = (bits & 0x7fffff) | 0x800000;
  Exact magnitude = static_cast<Exact>(significand) << (exponent_field(bits) - 1);
  return (bits & kSignBit) ? -magnitude : magnitude;
}

Exact exact_bf16(std::uint16_t bits) { return exact_fp32(bf16_to_fp32(bits)) >> 16; }

std::uint32_t round_to_fp32(Exact value) {
  const std::uint32_t sign = value < 0 ? kSignBit : 0;
  Exact magnitude = value < 0 ? -value : value;
  const int length = bit_length(magnitude);
  if (length <= 266 - 127) return sign;  // below 2^-127: rounding cannot reach 2^-126

  int dropped = length - 24;
  Exact kept = magnitude >> dropped;
  Exact rest = magnitude - (kept << dropped);
  Exact half = Exact{1} << (dropped - 1);
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  if (kept == 0x1000000) {
    kept = 0x800000;
    ++dropped;
  }

  const int exponent = dropped + 23 - 266 + 127;  // kept * 2^(dropped - 266), biased
  if (exponent < 1) return sign;
  if (exponent > 254) return sign | kInfinity;
  return sign | (static_cast<std::uint32_t>(exponent) << 23) |
         (static_cast<std::uint32_t>(kept) & 0x7fffff);
}

std::uint16_t fp32_to_bf16(std::uint32_t bits) {
  if (is_nan(bits)) return kCanonicalNan >> 16;
  if (is_zero(bits)) return static_cast<std::uint16_t>((bits & kSignBit) >> 16);
  const std::uint32_t rest = bits & 0xffff;
  const std::uint32_t kept = bits >> 16;
  const bool up = rest > 0x8000 || (rest == 0x8000 && (kept & 1) != 0);
  return static_cast<std::uint16_t>(kept + (up ? 1 : 0));  // a carry moves to the next exponent
}

std::uint32_t bf16_to_fp32(std::uint16_t bits) { return static_cast<std::uint32_t>(bits) << 16; }

}  // namespace systole::reference
