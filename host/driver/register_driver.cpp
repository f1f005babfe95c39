#include "host/driver/register_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/driver/device.h"

namespace systole {
namespace {

using device::Register;

constexpr int kMostPolls = 1'000'000;
constexpr int kMostRingLog2 = 15;  // so that head and tail tell a full ring from an empty one

int ring_log2(std::size_t commands) {
  int log2 = 0;
  while (log2 < kMostRingLog2 && (std::size_t{1} << log2) < commands) ++log2;
  return log2;
}

std::uint16_t place(Register which, int offset) {
  return static_cast<std::uint16_t>(static_cast<int>(which) + offset);
}

}  // namespace

RegisterDriver::RegisterDriver(std::unique_ptr<RegisterDevice> device)
    : device_(std::move(device)) {
  const std::uint32_t identity = get(Register::kIdentity);
  if (identity != device::kIdentity) {
    throw DeviceError(
        fmt::format("no accelerator answers: its identity reads {:#010x}, not {:#010x}", identity,
                    device::kIdentity));
  }
  if (const std::uint32_t version = get(Register::kVersion); version != device::kVersion) {
    throw DeviceError(
        fmt::format("the accelerator has version {} of its registers, this program "
                    "knows version {}; build both from one source",
                    version, device::kVersion));
  }
  shape_ = {.array_size = static_cast<int>(get(Register::kArraySize)),
            .bank_rows = get(Register::kBankRows),
            .row_words = get(Register::kRowBufferRows),
            .weight_words = get(Register::kWeightBufferRows),
            .mask_words = get(Register::kMaskRows)};
}

ProgramResult RegisterDriver::run(const PlacedProgram& program) {
  reset();
  // The ring is the program where it lies; the device counts its commands from the first.
  const int log2 = ring_log2(program.commands.size());
  const std::size_t piece = std::size_t{1} << log2;
  set(Register::kInterruptEnable, device::kDone | device::kFault);
  set(Register::kRingLog2, static_cast<std::uint32_t>(log2));
  open_window(1, program.base, program.end);
  set(Register::kWindowAccess, device::kReadable | (device::kReadable | device::kWritable) << 2);
  for (std::size_t first = 0; first < program.commands.size(); first += piece) {
    const std::size_t count = std::min(piece, program.commands.size() - first);
    // The piece's first command has index `first`, a multiple of the ring's length.
    const std::uint64_t ring = program.ring + 16 * first;
    set_wide(Register::kRingBaseLow, ring);
    open_window(0, ring, ring + 16 * count);
    set(Register::kRingTail, static_cast<std::uint32_t>(first + count) & 0xffffU);
    device_->wait_for_interrupt();
    const std::uint32_t raised = get(Register::kInterruptStatus);
    set(Register::kInterruptStatus, raised);
    if ((raised & device::kFault) != 0) break;
  }
  ProgramResult done = result();
  if (done.fault != device::FaultCode::kNone) reset();
  return done;
}

void RegisterDriver::reset() {
  set(Register::kControl, device::kReset);
  for (int poll = 0; poll < kMostPolls; ++poll) {
    if ((get(Register::kStatus) & device::kResetting) == 0) return;
  }
  throw DeviceError("the accelerator's reset does not end: its memory owes it answers");
}

void RegisterDriver::open_window(int index, std::uint64_t base, std::uint64_t end) {
  set_wide(Register::kWindowBaseLow, base, index * device::kWindowStep);
  set_wide(Register::kWindowEndLow, end, index * device::kWindowStep);
}

ProgramResult RegisterDriver::result() {
  ProgramResult result;
  for (std::size_t i = 0; i < result.counts.size(); ++i) {
    result.counts[i] = get_wide(Register::kCounters, 8 * static_cast<int>(i));
  }
  result.fault = static_cast<device::FaultCode>(get(Register::kFaultCode));
  if (result.fault != device::FaultCode::kNone) {
    result.command = get(Register::kFaultCommand);
    result.address = get_wide(Register::kFaultAddressLow);
  }
  return result;
}

std::uint32_t RegisterDriver::get(Register which, int offset) {
  return device_->read_register(place(which, offset));
}

std::uint64_t RegisterDriver::get_wide(Register low, int offset) {
  const std::uint64_t half = get(low, offset);
  return half | std::uint64_t{get(low, offset + 4)} << 32;
}

void RegisterDriver::set(Register which, std::uint32_t value, int offset) {
  device_->write_register(place(which, offset), value);
}

void RegisterDriver::set_wide(Register low, std::uint64_t value, int offset) {
  set(low, static_cast<std::uint32_t>(value), offset);
  set(low, static_cast<std::uint32_t>(value >> 32), offset + 4);
}

}  // namespace systole
