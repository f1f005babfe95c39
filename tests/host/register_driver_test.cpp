// The driver's exact traffic on a device's registers, and its results from the answers.
#include "host/device/register_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/device/device.h"
#include "host/device/device_memory.h"

namespace systole {
namespace {

using device::Register;
using Log = std::vector<std::string>;

/// Registers that log writes, and a device that finishes at once.
class FakeRegisters final : public RegisterDevice {
 public:
  std::map<int, std::uint32_t> values = {{0x000, device::kIdentity},
                                         {0x004, device::kVersion},
                                         {0x008, 16},
                                         {0x00c, 32},
                                         {0x010, 512},
                                         {0x014, 8192},
                                         {0x018, 4096},
                                         {0x01c, 2048}};
  Log log;
  std::uint32_t interrupts = device::kDone;
  int resetting = 2;  ///< how many reads of status still say so after a reset

  std::uint32_t read_register(Register which, int offset) override {
    if (which == Register::kStatus) {
      return resetting_left_-- > 0 ? device::kResetting : 0;
    }
    return values[static_cast<int>(which) + offset];
  }
  void write_register(Register which, std::uint32_t value, int offset) override {
    const int place = static_cast<int>(which) + offset;
    log.push_back(fmt::format("{:03x} {:x}", place, value));
    if (which == Register::kControl) resetting_left_ = resetting;
    if (which == Register::kInterruptStatus) {
      values[place] &= ~value;
    } else {
      values[place] = value;
    }
  }
  void wait_for_interrupt() override {
    log.push_back("wait");
    values[static_cast<int>(Register::kInterruptStatus)] = interrupts;
  }

 private:
  int resetting_left_ = 0;
};

struct Bench {
  std::shared_ptr<FakeRegisters> registers = std::make_shared<FakeRegisters>();
  RegisterDriver driver{std::make_shared<DeviceMemory>(), registers};
};

}  // namespace

TEST_CASE("the driver resets, opens windows, rings once and waits", "[register_driver]") {
  Bench bench;
  const std::vector<device::CommandWord> commands(5);
  const ProgramResult result = bench.driver.run(
      {.commands = commands, .ring = 0x12'0000'4000, .base = 0x1000, .end = 0x34'0000'2000});
  CHECK(result.fault == device::FaultCode::kNone);
  CHECK(bench.registers->log == Log{"020 1", "03c 5", "048 3",                   //
                                    "090 1000", "094 0", "098 2000", "09c 34",   // operands
                                    "05c d",                                     //
                                    "040 4000", "044 12",                        // ring
                                    "080 4000", "084 12", "088 4050", "08c 12",  // its window
                                    "04c 5", "wait", "038 1"});
}

TEST_CASE("the driver sets the patience of a program with neighbours before its doorbell",
          "[register_driver]") {
  Bench bench;
  const std::vector<device::CommandWord> commands(1);
  bench.driver.run({.commands = commands, .link_patience = 0x12345});
  const Log& log = bench.registers->log;
  const auto set = std::ranges::find(log, "060 12345");
  REQUIRE(set != log.end());
  CHECK(set < std::ranges::find(log, "04c 1"));
  CHECK(std::ranges::count_if(log, [](const auto& line) { return line.starts_with("060"); }) == 1);
}

TEST_CASE("the driver reports the device's sizes", "[register_driver]") {
  Bench bench;
  const DeviceSizes& sizes = bench.driver.sizes();
  CHECK(sizes.array_size == 16);
  CHECK(sizes.bank_rows == 512);
  CHECK(sizes.row_words == 8192);
  CHECK(sizes.weight_words == 4096);
  CHECK(sizes.mask_words == 2048);
  CHECK(sizes.bus_bytes == 32);
}

TEST_CASE("a long program is one ring, named by one doorbell", "[register_driver]") {
  Bench bench;
  const std::vector<device::CommandWord> commands(100'007);
  bench.driver.run({.commands = commands, .ring = 0x10000, .base = 0, .end = 1});
  Log rings;
  for (const std::string& line : bench.registers->log) {
    if (line.starts_with("040") || line.starts_with("048") || line.starts_with("04c") ||
        line.starts_with("088")) {
      rings.push_back(line);
    }
  }
  CHECK(rings == Log{"048 11", "040 10000", "088 196a70", "04c 186a7"});
}

TEST_CASE("a program that no ring holds is refused before the device sees it",
          "[register_driver]") {
  Bench bench;
  std::vector<device::CommandWord> commands;
  const auto run = [&] {
    bench.driver.run({.commands = commands, .ring = 0, .base = 0, .end = 1});
  };
  CHECK_THROWS_WITH(run(), "a program of 0 commands: a doorbell names 1 to 8388608");
  commands.resize(kDoorbellCommands + 1);
  CHECK_THROWS_WITH(run(), Catch::Contains("8388609 commands"));
  CHECK(bench.registers->log.empty());
  commands.pop_back();
  run();
  CHECK(std::ranges::count(bench.registers->log, "048 17") == 1);
  CHECK(std::ranges::count(bench.registers->log, "04c 800000") == 1);
}

TEST_CASE("counters and faults are read with both their halves", "[register_driver]") {
  Bench bench;
  auto& values = bench.registers->values;
  values[0x100] = 7;
  values[0x104] = 1;
  values[0x198] = 9;
  values[0x028] = 2;
  values[0x02c] = 33;
  values[0x030] = 0x5000;
  values[0x034] = 6;
  bench.registers->interrupts = device::kFault;
  const std::vector<device::CommandWord> commands(1);
  const ProgramResult result = bench.driver.run({.commands = commands});
  CHECK(result.counts[0] == 0x1'0000'0007);
  CHECK(result.counts[19] == 9);
  CHECK(result.fault == device::FaultCode::kReadWindow);
  CHECK(result.command == 33);
  CHECK(result.address == 0x6'0000'5000);
  CHECK(bench.registers->log.back() == "020 1");  // another reset keeps the device usable
}

TEST_CASE("a foreign device, another version and an endless reset are reported",
          "[register_driver]") {
  auto stranger = std::make_shared<FakeRegisters>();
  stranger->values[0] = 0xffff'ffff;
  CHECK_THROWS_WITH(RegisterDriver(nullptr, stranger), Catch::Contains("no accelerator answers"));
  auto newer = std::make_shared<FakeRegisters>();
  newer->values[4] = device::kVersion + 1;
  CHECK_THROWS_WITH(RegisterDriver(nullptr, newer),
                    Catch::Contains(fmt::format("version {}", device::kVersion + 1)));
  Bench bench;
  bench.registers->resetting = 1 << 30;
  const std::vector<device::CommandWord> commands(1);
  CHECK_THROWS_WITH(bench.driver.run({.commands = commands}),
                    Catch::Contains("reset does not end"));
}

}  // namespace systole
