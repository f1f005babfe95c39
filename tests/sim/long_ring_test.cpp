// A ring of more commands than 16 bits number, from one doorbell.
#include <catch2/catch.hpp>
#include <memory>
#include <span>
#include <vector>

#include "host/device/device_memory.h"
#include "host/device/register_driver.h"
#include "sim/device/control_devices.h"
#include "sim/verilator/verilated_devices.h"

namespace systole {
namespace {

constexpr std::size_t kCommands = 70'001;

ProgramResult run(const std::shared_ptr<DeviceMemory>& memory,
                  std::shared_ptr<RegisterDevice> device, bool ends_badly) {
  std::vector<device::CommandWord> commands(kCommands, device::encode(device::Fence{}));
  if (ends_badly) commands.back() = {};  // no opcode
  const std::uint64_t ring = memory->allocate(16 * std::int64_t{kCommands});
  memory->write(ring, std::as_bytes(std::span(commands)));
  const ProgramResult result = RegisterDriver(memory, std::move(device))
                                   .run({.commands = commands, .ring = ring, .base = 0, .end = 1});
  memory->free(ring);
  return result;
}

}  // namespace

TEST_CASE("a fault past the 65,536th command names it, in RTL and in C++", "[long_ring]") {
  const int size = sim::verilated_device_sizes().front();
  const auto memory = std::make_shared<DeviceMemory>();
  const auto commands_done = [](const ProgramResult& result) {
    return result.counts[static_cast<std::size_t>(device::Count::kCommands)];
  };
  for (const bool is_rtl : {true, false}) {
    const ProgramResult bad = run(memory,
                                  is_rtl ? sim::make_verilated_device(size, *memory)
                                         : sim::make_control_device(size, *memory),
                                  true);
    CHECK(bad.fault == device::FaultCode::kIllegalCommand);
    CHECK(bad.command == kCommands - 1);
    CHECK(commands_done(bad) == kCommands - 1);
  }
  const ProgramResult good = run(memory, sim::make_control_device(size, *memory), false);
  CHECK(good.fault == device::FaultCode::kNone);
  CHECK(commands_done(good) == kCommands);
}

}  // namespace systole
