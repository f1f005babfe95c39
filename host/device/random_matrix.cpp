#include "host/device/random_matrix.h"

#include <cstring>

#include "systole/support/split_mix.h"

namespace systole {
namespace {

std::uint64_t hash(std::uint64_t word) { return split_mix(word + kSplitMixStep); }

std::uint32_t fp32_bits(std::uint64_t bits) {
  const auto sign = static_cast<std::uint32_t>(bits >> 63);
  const auto exponent = static_cast<std::uint32_t>(bits >> 59 & 0xf) + 127 - 8;
  const auto mantissa = static_cast<std::uint32_t>(bits >> 36 & 0x7f'ffff);
  return sign << 31 | exponent << 23 | mantissa;
}

template <typename Element, typename Draw>
std::vector<std::byte> fill(const RandomMatrix& matrix, Draw draw) {
  const auto rows = static_cast<std::uint64_t>(matrix.rows);
  const auto cols = static_cast<std::uint64_t>(matrix.cols);
  const std::uint64_t base = hash(hash(matrix.seed) + matrix.stream);
  std::vector<std::byte> bytes(rows * cols * sizeof(Element));
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (std::uint64_t col = 0; col < cols; ++col) {
      const auto element = static_cast<Element>(draw(hash(base + row * cols + col)));
      const std::uint64_t place = matrix.transposed ? col * rows + row : row * cols + col;
      std::memcpy(bytes.data() + place * sizeof(Element), &element, sizeof(Element));
    }
  }
  return bytes;
}

}  // namespace

std::vector<std::byte> RandomMatrix::operands(DataType type) const {
  switch (type) {
    case DataType::kFp32:
      return fill<std::uint32_t>(*this, fp32_bits);
    case DataType::kBf16:
      return fill<std::uint16_t>(*this, [](std::uint64_t bits) { return fp32_bits(bits) >> 16; });
    case DataType::kInt8:
      return fill<std::uint8_t>(*this, [](std::uint64_t bits) { return bits >> 56; });
  }
  return {};
}

std::vector<std::byte> RandomMatrix::sums(DataType type) const {
  if (type != DataType::kInt8) return fill<std::uint32_t>(*this, fp32_bits);
  return fill<std::int32_t>(
      *this, [](std::uint64_t bits) { return static_cast<std::int32_t>(bits >> 32) >> 12; });
}

}  // namespace systole
