#include "host/device/cpu/cpu_epilogue.h"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <vector>

namespace systole {
namespace {

float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

template <typename T>
void keep(std::span<const T> mask, std::span<std::uint32_t> sums, auto value) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (!(value(mask[i]) > 0)) sums[i] = 0;
  }
}

template <typename T>
void add(const Product& product, std::span<const T> b, std::span<std::uint32_t> sums, auto value) {
  using Sum = decltype(value(T{}));
  std::vector<Sum> totals(sums.size());
  const auto depth = static_cast<std::size_t>(product.depth);
  for (std::size_t k = 0; k < depth; ++k) {
    for (std::size_t n = 0; n < sums.size(); ++n) {
      totals[n] += value(b[product.transpose_b ? n * depth + k : k * sums.size() + n]);
    }
  }
  std::ranges::transform(totals, sums.begin(),
                         [](Sum total) { return std::bit_cast<std::uint32_t>(total); });
}

}  // namespace

void start_from_bias(std::span<const std::uint32_t> bias, std::span<std::uint32_t> sums) {
  for (std::size_t first = 0; first < sums.size(); first += bias.size()) {
    std::ranges::copy(bias, sums.subspan(first).begin());
  }
}

void apply_relu(std::span<std::uint32_t> sums, bool is_float) {
  // The device's only NaN is positive and passes ReLU; so must this processor's, of either sign.
  const std::uint32_t last = is_float ? 0xff80'0000U : 0xffff'ffffU;
  for (std::uint32_t& sum : sums) sum = sum >= 0x8000'0000U && sum <= last ? 0 : sum;
}

void round_to_bf16(std::span<const std::uint32_t> sums, std::span<std::uint16_t> result) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::uint32_t bits = sums[i];
    const bool is_nan = (bits & 0x7fff'ffffU) > 0x7f80'0000U;
    const std::uint32_t rounded = (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16;
    result[i] = static_cast<std::uint16_t>(is_nan ? 0x7fc0U : rounded);
  }
}

void keep_positive(std::span<const float> mask, std::span<std::uint32_t> sums) {
  keep(mask, sums, [](float element) { return element; });
}
void keep_positive(std::span<const std::uint16_t> mask, std::span<std::uint32_t> sums) {
  keep(mask, sums, from_bf16);
}
void keep_positive(std::span<const std::int8_t> mask, std::span<std::uint32_t> sums) {
  keep(mask, sums, [](std::int8_t element) { return element; });
}

void add_columns(const Product& product, std::span<const float> b, std::span<std::uint32_t> sums) {
  add(product, b, sums, [](float element) { return element; });
}
void add_columns(const Product& product, std::span<const std::uint16_t> b,
                 std::span<std::uint32_t> sums) {
  add(product, b, sums, from_bf16);
}
void add_columns(const Product& product, std::span<const std::int8_t> b,
                 std::span<std::uint32_t> sums) {
  add(product, b, sums, [](std::int8_t element) { return std::int32_t{element}; });
}

}  // namespace systole
