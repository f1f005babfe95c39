#include "sim/device/stream_elements.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "sim/model/block_kernels.h"

namespace systole {

using Format = device::VectorStreamFormat;

namespace {

bool lies_at_elements(const std::byte* place) {
  return reinterpret_cast<std::uintptr_t>(place) % sizeof(std::uint16_t) == 0;
}

}  // namespace

void to_lanes(Format format, const std::byte* from, std::size_t count, std::uint32_t* to) {
  const RowKernels& rows = block_kernels().begin()->rows;
  switch (format) {
    case Format::kInt8:
      return rows.from_int8(reinterpret_cast<const std::int8_t*>(from), to,
                            static_cast<std::int64_t>(count));
    case Format::kBf16: {
      if (lies_at_elements(from)) {
        return rows.from_bf16(reinterpret_cast<const std::uint16_t*>(from), to,
                              static_cast<std::int64_t>(count));
      }
      for (std::size_t i = 0; i < count; ++i) {
        std::uint16_t element = 0;
        std::memcpy(&element, from + sizeof element * i, sizeof element);
        to[i] = std::uint32_t{element} << 16;
      }
      return;
    }
    default:
      std::memcpy(to, from, count * sizeof *to);
  }
}

void from_lanes(Format format, const std::uint32_t* from, std::size_t count, std::byte* to) {
  switch (format) {
    case Format::kInt8:
      for (std::size_t i = 0; i < count; ++i) {
        to[i] = static_cast<std::byte>(std::clamp(std::bit_cast<std::int32_t>(from[i]), -128, 127));
      }
      return;
    case Format::kBf16: {
      const RowKernels& rows = block_kernels().begin()->rows;
      if (lies_at_elements(to)) {
        return rows.to_bf16(from, reinterpret_cast<std::uint16_t*>(to),
                            static_cast<std::int64_t>(count));
      }
      std::array<std::uint16_t, 256> part;
      for (std::size_t i = 0; i < count; i += part.size()) {
        const std::size_t elements = std::min(part.size(), count - i);
        rows.to_bf16(from + i, part.data(), static_cast<std::int64_t>(elements));
        std::memcpy(to + sizeof part[0] * i, part.data(), sizeof part[0] * elements);
      }
      return;
    }
    case Format::kHalf:
      for (std::size_t i = 0; i < count; ++i) {
        const auto element = static_cast<std::uint16_t>(from[i]);
        std::memcpy(to + sizeof element * i, &element, sizeof element);
      }
      return;
    default:
      std::memcpy(to, from, count * sizeof *from);
  }
}

}  // namespace systole
