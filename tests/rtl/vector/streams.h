#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hls/kernels/vector/stream.h"
#include "hls/reference/fp32.h"
#include "tests/rtl/vector/bus_memory.h"

namespace systole::tests {

/// Bytes of an element in memory.
inline unsigned stream_bytes(const kernels::VectorStream& stream) {
  const auto format = static_cast<int>(stream.format.value());
  if (format == kernels::kStreamInt8) return 1;
  return format == kernels::kStreamWord ? 4 : 2;
}

/// A random stream: ragged, of any alignment, near 4 KiB borders, and inside the memory.
template <int kN>
kernels::VectorStream random_stream(Random& random, int formats) {
  const auto any = [&](std::uint32_t most) {
    return random.below(3) == 0 ? 1 + random.below(2 * kN + 1) : 1 + random.below(most);
  };
  const unsigned rows = any(6);
  const unsigned cols = random.below(3) == 0 ? kN * (1 + random.below(6)) : any(12 * kN);
  const unsigned stride = random.below(4) == 0 ? 0 : random.below(2) == 0 ? cols * 4 : 1024;
  const std::uint64_t page = BusMemory<kN>::kBase + 4096 * random.below(8);
  return {.address = kernels::Address::from(
              page + (random.below(2) == 0 ? random.below(4096) : 16 * random.below(256))),
          .row_stride = hls::UInt32::from(stride),
          .rows = hls::UInt16::from(rows),
          .cols = hls::UInt16::from(cols),
          .format = hls::UInt<2>::from(random.below(static_cast<std::uint32_t>(formats))),
          .broadcasts = hls::as_bit(random.below(4) == 0),
          .command = hls::UInt16::from(random.bits16())};
}

/// An element of memory as a lane sees it.
template <int kN>
std::uint32_t stream_element(BusMemory<kN>& memory, std::uint64_t address, unsigned bytes) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= std::uint32_t{memory.at(address + i)} << 8 * i;
  if (bytes == 1) return static_cast<std::uint32_t>(static_cast<std::int8_t>(value));
  return bytes == 2 ? value << 16 : value;
}

/// A lane's element as memory holds it.
inline std::uint32_t written_element(int format, std::uint32_t lane) {
  const auto number = static_cast<std::int32_t>(lane);
  switch (format) {
    case kernels::kStreamInt8:
      return static_cast<std::uint8_t>(std::clamp(number, -128, 127));
    case kernels::kStreamBf16:
      return reference::fp32_to_bf16(lane);
    case kernels::kStreamHalf:
      return lane & 0xffff;
    default:
      return lane;
  }
}

/// The lanes of all words of a stream that is read.
template <int kN>
std::vector<std::uint32_t> expected_lanes(BusMemory<kN>& memory,
                                          const kernels::VectorStream& stream) {
  std::vector<std::uint32_t> lanes;
  const unsigned bytes = stream_bytes(stream);
  const auto cols = static_cast<unsigned>(stream.cols.value());
  for (std::uint64_t row = 0; row < stream.rows.value(); ++row) {
    const std::uint64_t address = stream.address.value() + row * stream.row_stride.value();
    for (unsigned col = 0; col < (cols + kN - 1) / kN * kN; ++col) {
      const bool is_there = col < cols || stream.broadcasts;
      const std::uint64_t place = stream.broadcasts ? 0 : std::uint64_t{col} * bytes;
      lanes.push_back(is_there ? stream_element(memory, address + place, bytes) : 0);
    }
  }
  return lanes;
}

}  // namespace systole::tests
