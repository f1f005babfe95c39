#include "sim/model/clock_places.h"

#include <algorithm>
#include <bit>

#include "host/device/command_address.h"
#include "host/device/element_size.h"

namespace systole {
namespace {

constexpr std::uint64_t kPage = 4096;

constexpr std::uint64_t bytes(std::int64_t count) { return static_cast<std::uint64_t>(count); }

}  // namespace

ClockPlaces::ClockPlaces(int array_size, int bus_bytes)
    : array_size_(static_cast<std::uint64_t>(array_size)),
      beat_bytes_(static_cast<std::uint64_t>(bus_bytes == 0 ? array_size : bus_bytes)),
      burst_bytes_(std::min(kPage, device::kBurstBeats * beat_bytes_)) {}

/// Rows at multiples of a power of two that holds one never cross 4 KiB.
std::uint64_t ClockPlaces::reduced_store(std::uint64_t address, std::uint64_t row_bytes,
                                         std::uint64_t rows, std::uint64_t row_stride) const {
  const std::uint64_t places = rows > 1 ? address | row_stride : address;
  return address % (places % std::bit_ceil(row_bytes) == 0 ? beat_bytes_ : kPage);
}

device::CommandWord ClockPlaces::reduced(const device::CommandWord& command) {
  switch (device::opcode_of(command)) {
    case device::Opcode::kStoreShape:
      shape_ = device::decode_store_shape(command);
      return command;
    case device::Opcode::kStore: {
      const auto format = device::decode_store(command).format;
      return with_address(command, [&](std::uint64_t address) {
        return reduced_store(address, shape_.cols * bytes(stored_bytes(format)), shape_.rows,
                             shape_.row_stride);
      });
    }
    case device::Opcode::kVectorStream: {
      const auto stream = device::decode_vector_stream(command);
      // An output's word is a burst, like a store's row.
      const auto word = std::min<std::uint64_t>(stream.cols, array_size_);
      if (!stream.writes) break;
      return with_address(command, [&](std::uint64_t address) {
        return reduced_store(address, word * bytes(streamed_bytes(stream.format)), stream.rows,
                             stream.row_stride);
      });
    }
    default:
      break;
  }
  return with_address(command, [&](std::uint64_t address) { return address % burst_bytes_; });
}

}  // namespace systole
