#include "host/driver/register_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "host/driver/device.h"

namespace systole {
namespace {

using device::Register;

constexpr int kMostPolls = 1'000'000;
// 16-bit head and tail then tell a full ring from an empty one.
constexpr int kMostRingLog2 = std::countr_zero(kDoorbellCommands);

int ring_log2(std::size_t commands) {
  int log2 = 0;
  while (log2 < kMostRingLog2 && (std::size_t{1} << log2) < commands) ++log2;
  return log2;
}

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
  shape_ = {.array_size = static_cast<int>(registers_->read_register(Register::kArraySize)),
            .bank_rows = registers_->read_register(Register::kBankRows),
            .row_words = registers_->read_register(Register::kRowBufferRows),
            .weight_words = registers_->read_register(Register::kWeightBufferRows),
            .mask_words = registers_->read_register(Register::kMaskRows)};
}

ProgramResult RegisterDriver::run(const PlacedProgram& program) {
  reset();
  // The program itself is the ring, in place; the device counts its commands from the first.
  const int log2 = ring_log2(program.commands.size());
  const std::size_t piece = std::size_t{1} << log2;
  registers_->write_register(Register::kInterruptEnable, device::kDone | device::kFault);
  registers_->write_register(Register::kRingLog2, static_cast<std::uint32_t>(log2));
  open_window(1, program.base, program.end);
  registers_->write_register(Register::kWindowAccess,
                             device::kReadable | (device::kReadable | device::kWritable) << 2);
  for (std::size_t first = 0; first < program.commands.size(); first += piece) {
    const std::size_t count = std::min(piece, program.commands.size() - first);
    // The piece's first command has index `first`, a multiple of the ring's length.
    const std::uint64_t ring = program.ring + 16 * first;
    registers_->write_wide(Register::kRingBaseLow, ring);
    open_window(0, ring, ring + 16 * count);
    registers_->write_register(Register::kRingTail,
                               static_cast<std::uint32_t>(first + count) & 0xffffU);
    registers_->wait_for_interrupt();
    const std::uint32_t raised = registers_->read_register(Register::kInterruptStatus);
    registers_->write_register(Register::kInterruptStatus, raised);
    if ((raised & device::kFault) != 0) break;
  }
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
