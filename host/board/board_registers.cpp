#include "host/board/board_registers.h"

#include <fmt/format.h>

#include "host/device/device.h"

namespace systole {
namespace {

using device::Count;
using device::Register;

std::uint32_t address_of(Register which, int offset) {
  return static_cast<std::uint32_t>(which) + static_cast<std::uint32_t>(offset);
}

/// Counters that advance only when work is done; the others also count waiting.
std::uint64_t work_done(RegisterDevice& registers) {
  const auto counters = registers.read_counters();
  std::uint64_t sum = 0;
  for (const Count count :
       {Count::kCommands, Count::kRows, Count::kTiles, Count::kReadBeats, Count::kWriteBeats}) {
    sum += counters[static_cast<std::size_t>(count)];
  }
  return sum;
}

}  // namespace

std::uint32_t BoardRegisters::read_register(Register which, int offset) {
  std::uint32_t value = 0;
  read_registers(which, {&value, 1}, offset);
  return value;
}

void BoardRegisters::write_register(Register which, std::uint32_t value, int offset) {
  write_registers(which, {&value, 1}, offset);
}

void BoardRegisters::read_registers(Register first, std::span<std::uint32_t> values, int offset) {
  link_->read_registers(address_of(first, offset), values);
}

void BoardRegisters::write_registers(Register first, std::span<const std::uint32_t> values,
                                     int offset) {
  link_->write_registers(address_of(first, offset), values);
}

void BoardRegisters::wait_for_interrupt() {
  using Clock = std::chrono::steady_clock;
  auto looked = Clock::now();
  std::uint64_t done = 0;
  bool has_looked = false;
  while ((read_register(Register::kInterruptStatus) & read_register(Register::kInterruptEnable)) ==
         0) {
    if (Clock::now() - looked < patience_) continue;
    const std::uint64_t now = work_done(*this);
    if (has_looked && now == done) {
      throw DeviceError(fmt::format(
          "the accelerator on {} hangs: no interrupt, and no work in {} ms; its status is {:#x}; "
          "reset the board and rerun",
          link_->path(), patience_.count(), read_register(Register::kStatus)));
    }
    has_looked = true;
    done = now;
    looked = Clock::now();
  }
}

}  // namespace systole
