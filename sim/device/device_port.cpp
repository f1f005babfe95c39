#include "sim/device/device_port.h"

#include <fmt/format.h>

#include "host/device/device.h"

namespace systole::sim {
namespace {

constexpr int kAllBytes = 15;

}  // namespace

std::uint32_t DevicePort::read_register(device::Register which, int offset) {
  const auto address = static_cast<std::uint16_t>(static_cast<int>(which) + offset);
  const LiteAnswer answer = read_bus(address);
  if (answer.response != 0) {
    throw DeviceError(
        fmt::format("reading the register at {:#05x} was answered with an error", address));
  }
  return answer.data;
}

void DevicePort::write_register(device::Register which, std::uint32_t value, int offset) {
  const auto address = static_cast<std::uint16_t>(static_cast<int>(which) + offset);
  if (write_bus(address, value, kAllBytes).response != 0) {
    throw DeviceError(fmt::format(
        "writing {:#x} to the register at {:#05x} was answered with an error", value, address));
  }
}

}  // namespace systole::sim
