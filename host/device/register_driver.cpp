#include "host/device/register_driver.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "host/device/device.h"

namespace systole {
namespace {

using device::Register;

constexpr int kMostPolls = 1'000'000;
}  // namespace

RegisterDriver::RegisterDriver(std::shared_ptr<Memory> memory,
                               std::shared_ptr<RegisterDevice> registers)
    : memory_(std::move(memory)), registers_(std::move(registers)) {
  const std::uint32_t identity = registers_->read_register(Register::kIdentity);
  if (identity != device::kIdentity) {
    throw DeviceError(
        fmt::format("no accelerator answers: its identity reads {:#010x}, not {:#010x}", identity,
                    device::kIdentity));
  }
  if (const std::uint32_t version = registers_->read_register(Register::kVersion);
      version != device::kVersion) {
    throw DeviceError(
        fmt::format("the accelerator has version {} of its registers, this program "
                    "knows version {}; build both from one source",
                    version, device::kVersion));
  }
  const auto read = [&](Register which) { return registers_->read_register(which); };
  sizes_ = {{read(Register::kBankRows), read(Register::kRowBufferRows),
             read(Register::kWeightBufferRows), read(Register::kMaskRows)},
            static_cast<int>(read(Register::kArraySize)),
            read(Register::kBankRows),
            static_cast<int>(read(Register::kBusBytes))};
}

ProgramResult RegisterDriver::run(const PlacedProgram& program) {
  if (program.commands.empty() || std::ssize(program.commands) > kDoorbellCommands) {
    throw std::invalid_argument(fmt::format("a program of {} commands: a doorbell names 1 to {}",
                                            program.commands.size(), kDoorbellCommands));
  }
  reset();
  // The program itself is the ring, in place; the device counts its commands from the first.
  const auto count = static_cast<std::uint32_t>(program.commands.size());
  const auto ring_log2 = static_cast<std::uint32_t>(std::bit_width(count - 1));
  registers_->write_register(Register::kInterruptEnable, device::kDone | device::kFault);
  registers_->write_register(Register::kRingLog2, ring_log2);
  if (program.link_patience != 0) {
    registers_->write_register(Register::kLinkPatience, program.link_patience);
  }
  open_window(1, program.base, program.end);
  registers_->write_register(Register::kWindowAccess,
                             device::kReadable | (device::kReadable | device::kWritable) << 2);
  registers_->write_wide(Register::kRingBaseLow, program.ring);
  open_window(0, program.ring, program.ring + 16 * std::uint64_t{count});
  registers_->write_register(Register::kRingTail, count);
  registers_->wait_for_interrupt();
  const std::uint32_t raised = registers_->read_register(Register::kInterruptStatus);
  registers_->write_register(Register::kInterruptStatus, raised);
  ProgramResult done = result();
  if (done.fault != device::FaultCode::kNone) reset();
  return done;
}

void RegisterDriver::reset() {
  registers_->write_register(Register::kControl, device::kReset);
  for (int poll = 0; poll < kMostPolls; ++poll) {
    if ((registers_->read_register(Register::kStatus) & device::kResetting) == 0) return;
  }
  throw DeviceError("the accelerator's reset does not end: its memory owes it answers");
}

void RegisterDriver::open_window(int index, std::uint64_t base, std::uint64_t end) {
  const auto low = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  registers_->write_registers(Register::kWindowBaseLow,
                              std::array{low(base), low(base >> 32), low(end), low(end >> 32)},
                              index * device::kWindowStep);
}

ProgramResult RegisterDriver::result() {
  ProgramResult result;
  result.counts = registers_->read_counters();
  result.fault = static_cast<device::FaultCode>(registers_->read_register(Register::kFaultCode));
  if (result.fault != device::FaultCode::kNone) {
    result.command = registers_->read_register(Register::kFaultCommand);
    result.address = registers_->read_wide(Register::kFaultAddressLow);
  }
  return result;
}

}  // namespace systole
