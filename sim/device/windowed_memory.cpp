#include "sim/device/windowed_memory.h"

#include <algorithm>
#include <cstring>

namespace systole {
namespace {

using device::FaultCode;

constexpr std::uint64_t kAddressMask = (std::uint64_t{1} << device::kAddressBits) - 1;
constexpr std::uint64_t kPageBytes = 4096;

/// Bytes of the next burst: up to the next multiple of `cut`, and at most `left`.
std::uint64_t burst_bytes(std::uint64_t address, std::uint64_t left, std::uint64_t cut) {
  return std::min(left, cut - address % cut);
}

}  // namespace

bool WindowedMemory::is_open(bool ProgramWindow::* access, std::uint64_t address,
                             std::uint64_t bytes) const {
  return std::ranges::any_of(windows_, [&](const ProgramWindow& window) {
    return window.*access && window.base <= address && address + bytes <= window.end;
  });
}

ProgramFault WindowedMemory::read(std::uint64_t address, std::span<std::byte> destination) const {
  const std::uint64_t cut =
      std::min(kPageBytes, static_cast<std::uint64_t>(device::kBurstBeats) * bus_bytes_);
  const std::uint64_t first = address & kAddressMask;
  while (!destination.empty()) {
    address &= kAddressMask;
    const std::uint64_t bytes = burst_bytes(address, destination.size(), cut);
    if (!is_open(&ProgramWindow::readable, address, bytes)) {
      return {FaultCode::kReadWindow, 0, address};
    }
    const std::byte* from = memory_->locate(address, static_cast<std::int64_t>(bytes));
    if (from == nullptr) return {FaultCode::kReadError, 0, first};
    std::memcpy(destination.data(), from, bytes);
    destination = destination.subspan(bytes);
    address += bytes;
  }
  return {};
}

ProgramFault WindowedMemory::write(std::uint64_t address, std::span<const std::byte> source) const {
  while (!source.empty()) {
    address &= kAddressMask;
    const std::uint64_t bytes = burst_bytes(address, source.size(), kPageBytes);
    if (!is_open(&ProgramWindow::writable, address, bytes)) {
      return {FaultCode::kWriteWindow, 0, address};
    }
    std::byte* to = memory_->locate(address, static_cast<std::int64_t>(bytes));
    if (to == nullptr) return {FaultCode::kWriteError, 0, address};
    std::memcpy(to, source.data(), bytes);
    source = source.subspan(bytes);
    address += bytes;
  }
  return {};
}

}  // namespace systole
