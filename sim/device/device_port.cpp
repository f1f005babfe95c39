#include "sim/device/device_port.h"

#include <fmt/format.h>

#include "host/driver/device.h"

namespace systole::sim {
namespace {

constexpr int kAllBytes = 15;

std::uint16_t place(device::Register which, int offset) {
  return static_cast<std::uint16_t>(static_cast<int>(which) + offset);
}

}  // namespace

std::uint32_t DevicePort::read_register(device::Register which, int offset) {
  const LiteAnswer answer = read_bus(place(which, offset));
  if (answer.response != 0) {
    throw DeviceError(fmt::format("reading the register at {:#05x} was answered with an error",
                                  place(which, offset)));
  }
  return answer.data;
}

void DevicePort::write_register(device::Register which, std::uint32_t value, int offset) {
  if (write_bus(place(which, offset), value, kAllBytes).response != 0) {
    throw DeviceError(
        fmt::format("writing {:#x} to the register at {:#05x} was answered with an error", value,
                    place(which, offset)));
  }
}

std::uint64_t DevicePort::read_counter(device::Count which) {
  const int offset = 8 * static_cast<int>(which);
  // The low word first: reading it keeps the high word that goes with it.
  const std::uint64_t low = read_register(device::Register::kCounters, offset);
  return low | std::uint64_t{read_register(device::Register::kCounters, offset + 4)} << 32;
}

std::array<std::uint64_t, device::kCounters> DevicePort::read_counters() {
  std::array<std::uint64_t, device::kCounters> counters{};
  for (std::size_t i = 0; i < counters.size(); ++i) {
    counters[i] = read_counter(static_cast<device::Count>(i));
  }
  return counters;
}

}  // namespace systole::sim
