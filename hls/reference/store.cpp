#include "hls/reference/store.h"

#include "hls/reference/convert.h"
#include "hls/reference/fp32.h"

namespace systole::reference {
namespace {

void put(std::vector<std::uint8_t>& bytes, std::uint32_t value, int count) {
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
}

}  // namespace

std::vector<std::uint8_t> stored_row(const StoredFormat& format,
                                     std::span<const std::uint32_t> sums, std::uint64_t mask,
                                     int cols, std::span<std::uint32_t> random) {
  if (format.format == 2) {
    for (std::uint32_t& state : random) state = random_step(state);
  }
  std::vector<std::uint8_t> bytes;
  for (std::size_t n = 0; n < static_cast<std::size_t>(cols); ++n) {
    std::uint32_t sum = sums[n];
    if (format.relu && (sum >> 31) != 0) sum = 0;
    if (format.masked && (mask >> n & 1) == 0) sum = 0;
    const auto integer = static_cast<std::int32_t>(sum);
    switch (format.format) {
      case 0:
        put(bytes, sum, 4);
        break;
      case 1:
        put(bytes, fp32_to_bf16(sum), 2);
        break;
      case 2:
        put(bytes, fp32_to_bf16_stochastic(sum, static_cast<std::uint16_t>(random[n])), 2);
        break;
      case 3:
        put(bytes, static_cast<std::uint8_t>(quantize(sum, format.scale)), 1);
        break;
      case 4:
        put(bytes, static_cast<std::uint8_t>(requantize(integer, format.scale, format.shift)), 1);
        break;
      default:
        put(bytes, int32_to_fp32(integer), 4);
    }
  }
  return bytes;
}

void seed_lanes(std::uint32_t seed, std::span<std::uint32_t> random) {
  for (std::size_t n = 0; n < random.size(); ++n) {
    const std::uint32_t state = seed ^ static_cast<std::uint32_t>(n * 0x9e37'79b9u);
    random[n] = state == 0 ? 1 : state;
  }
}

}  // namespace systole::reference
