#include "hls/reference/mac.h"

#include "hls/reference/fp32.h"

namespace systole::reference {
namespace {

// -0 only when both addends are: an exact zero otherwise has no sign to keep.
std::uint32_t zero_sum(bool first_negative, bool second_negative) {
  return first_negative && second_negative ? kSignBit : 0;
}

}  // namespace

std::uint32_t mac_bf16(std::uint16_t activation, std::uint16_t weight, std::uint32_t sum) {
  const std::uint32_t a = bf16_to_fp32(activation);
  const std::uint32_t b = bf16_to_fp32(weight);
  const std::uint32_t product_sign = (a ^ b) & kSignBit;

  if (is_nan(a) || is_nan(b) || is_nan(sum)) return kCanonicalNan;
  if (is_infinite(a) || is_infinite(b)) {
    if (is_zero(a) || is_zero(b)) return kCanonicalNan;
    const std::uint32_t product = product_sign | kInfinity;
    return is_infinite(sum) && sum != product ? kCanonicalNan : product;
  }
  if (is_infinite(sum)) return sum;
  if ((is_zero(a) || is_zero(b)) && is_zero(sum)) {
    return zero_sum(product_sign != 0, (sum & kSignBit) != 0);
  }
  Exact product = exact_bf16(activation) * exact_bf16(weight);
  return round_to_fp32(product + (exact_fp32(sum) << (266 - 149)));
}

std::uint32_t add_fp32(std::uint32_t accumulator, std::uint32_t tile_sum) {
  if (is_nan(accumulator) || is_nan(tile_sum)) return kCanonicalNan;
  if (is_infinite(accumulator) || is_infinite(tile_sum)) {
    const std::uint32_t infinite = is_infinite(accumulator) ? accumulator : tile_sum;
    const bool opposite =
        is_infinite(accumulator) && is_infinite(tile_sum) && accumulator != tile_sum;
    return opposite ? kCanonicalNan : infinite;
  }
  if (is_zero(accumulator) && is_zero(tile_sum)) {
    return zero_sum((accumulator & kSignBit) != 0, (tile_sum & kSignBit) != 0);
  }
  return round_to_fp32((exact_fp32(accumulator) + exact_fp32(tile_sum)) << (266 - 149));
}

std::int32_t mac_int8(std::int8_t activation, std::int8_t weight, std::int32_t sum) {
  const std::int64_t exact = std::int64_t{activation} * weight + sum;
  return static_cast<std::int32_t>(exact);  // C++20: modulo 2^32
}

std::int32_t add_int32(std::int32_t accumulator, std::int32_t tile_sum) {
  return static_cast<std::int32_t>(std::int64_t{accumulator} + tile_sum);
}

}  // namespace systole::reference
