#include "sim/verify/program_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "host/device/device.h"
#include "host/device/device_sizes.h"
#include "systole/cosim/random.h"

namespace systole::verify {
namespace {

using cosim::Random;
using device::Register;

class Host {
 public:
  Host(const Case& which, const Program& program, sim::DevicePort& port, DeviceMemory& memory)
      : case_(which),
        program_(program),
        port_(port),
        memory_(memory),
        random_(which.seed + program.commands.size()),
        total_(static_cast<std::uint32_t>(program.commands.size())) {}

  Outcome run() {
    open();
    if (random_.below(8) == 0) {
      knock();
      look_at_settings();
    }
    while (!ended()) {
      look_again("is still busy");
      if (submitted_ == total_) {
        wait();
      } else {
        submit();
        port_.run(random_.below(300));
      }
    }
    const Outcome outcome = read_outcome();
    if (outcome.fault != device::FaultCode::kNone || program_.ending == Ending::kReset) reset();
    return outcome;
  }

 private:
  static std::uint32_t low(std::uint64_t address) { return static_cast<std::uint32_t>(address); }
  static std::uint32_t high(std::uint64_t address) {
    return static_cast<std::uint32_t>(address >> 32);
  }

  void open() {
    std::uint32_t access = 0;
    const auto settings = windows(case_.layout);
    for (std::size_t i = 0; i < settings.size(); ++i) {
      const auto& [block, readable, writable] = settings[i];
      const int at = static_cast<int>(i) * device::kWindowStep;
      set(Register::kWindowBaseLow, low(block.base), at);
      set(Register::kWindowBaseHigh, high(block.base), at);
      set(Register::kWindowEndLow, low(block.end()), at);
      set(Register::kWindowEndHigh, high(block.end()), at);
      access |= (readable ? 1u : 0u) << 2 * i | (writable ? 2u : 0u) << 2 * i;
    }
    set(Register::kWindowAccess, access);
    const std::uint64_t ring = ring_base(case_, program_);
    set(Register::kRingBaseLow, low(ring));
    set(Register::kRingBaseHigh, high(ring));
    set(Register::kRingLog2, static_cast<std::uint32_t>(case_.ring_log2));
    if (program_.link_patience != 0) set(Register::kLinkPatience, program_.link_patience);
    // A fence that waits for the host without an interrupt can only be found by polling.
    outcome_.polled = random_.below(4) == 0;
    for (const device::CommandWord& word : program_.commands) {
      if (device::opcode_of(word) != device::Opcode::kFence) continue;
      const device::Fence fence = device::decode_fence(word);
      if (fence.wait_for_host && !fence.interrupt) outcome_.polled = true;
    }
    set(Register::kInterruptEnable,
        outcome_.polled ? 0 : device::kDone | device::kFence | device::kFault);
  }

  void set(Register which, std::uint32_t value, int offset = 0) {
    port_.write_register(which, value, offset);
    settings_.emplace_back(static_cast<int>(which) + offset, value);
  }

  /// Accesses that must be refused and change nothing.
  void knock() {
    constexpr int kWhole = 15;
    const auto need_refusal = [](std::string_view what, int offset, int response) {
      constexpr int kSlaveError = 2;
      if (response == kSlaveError) return;
      throw DeviceError(fmt::format("{} at {:#x} was answered with {}, not with an error", what,
                                    offset, response));
    };
    const auto at = [](Register which) { return static_cast<int>(which); };
    const auto anywhere = static_cast<int>(random_.below(48) * 4);
    for (const int offset :
         {at(Register::kControl), at(Register::kResume), at(Register::kLinks) + 4, 192, 252,
          at(Register::kCounters) + 8 * device::kCounters, 4092,
          anywhere + 1 + static_cast<int>(random_.below(3))}) {
      need_refusal("a read", offset, port_.read_bus(static_cast<std::uint16_t>(offset)).response);
    }
    for (const int offset :
         {at(Register::kIdentity), at(Register::kArraySize), at(Register::kMaskRows),
          at(Register::kStatus), at(Register::kFaultCode), at(Register::kRingHead),
          at(Register::kMarker), at(Register::kLinks), at(Register::kCounters),
          at(Register::kLinks) + 4, 124, 192, 4092,
          anywhere + 1 + static_cast<int>(random_.below(3))}) {
      const auto where = static_cast<std::uint16_t>(offset);
      need_refusal("a write", offset, port_.write_bus(where, random_.bits32(), kWhole).response);
    }
    const auto& [offset, value] =
        settings_[random_.below(static_cast<std::uint32_t>(settings_.size()))];
    const auto part = static_cast<int>(random_.below(kWhole));
    need_refusal("a write of some bytes", offset,
                 port_.write_bus(static_cast<std::uint16_t>(offset), ~value, part).response);
    for (const device::WritableRegister& written : device::kWritableRegisters) {
      if (~written.bits == 0) continue;
      int stray = 0;
      do stray = static_cast<int>(random_.below(32));
      while ((written.bits >> stray & 1) != 0);
      const std::uint32_t strange = random_.bits32() | std::uint32_t{1} << stray;
      need_refusal("a write of an undefined bit", written.offset,
                   port_.write_bus(written.offset, strange, kWhole).response);
    }
  }

  /// Checks that every register set by the host reads back its value, and those that say what the
  /// device is theirs.
  void look_at_settings() {
    DeviceSizes sizes;
    sizes.array_size = case_.array_size;
    sizes.bus_bytes = case_.behaviour.bus_bytes;
    std::vector<std::pair<int, std::uint32_t>> all = settings_;
    const auto is = [&](Register which, std::int64_t value) {
      all.emplace_back(static_cast<int>(which), static_cast<std::uint32_t>(value));
    };
    is(Register::kIdentity, device::kIdentity);
    is(Register::kVersion, device::kVersion);
    is(Register::kArraySize, sizes.array_size);
    is(Register::kBusBytes, sizes.beat_bytes());
    is(Register::kBankRows, sizes.bank_rows);
    is(Register::kRowBufferRows, sizes.row_words);
    is(Register::kWeightBufferRows, sizes.weight_words);
    is(Register::kMaskRows, sizes.mask_words);
    for (const auto& [offset, value] : all) {
      const sim::LiteAnswer answer = port_.read_bus(static_cast<std::uint16_t>(offset));
      if (answer.response == 0 && answer.data == value) continue;
      throw DeviceError(fmt::format("the register at {:#x} reads {:#x} instead of {:#x}", offset,
                                    answer.data, value));
    }
  }

  void submit() {
    const std::uint32_t size = 1u << case_.ring_log2;
    const std::uint32_t head = port_.read_register(Register::kRingHead);
    const std::uint32_t room = size - (submitted_ - head);
    const std::uint32_t most = std::min(room, total_ - submitted_);
    if (most == 0) return;
    const std::uint32_t count = random_.below(3) == 0 ? 1 + random_.below(most) : most;
    for (std::uint32_t i = 0; i < count; ++i, ++submitted_) {
      memory_.write(ring_base(case_, program_) + 16 * (submitted_ % size),
                    std::as_bytes(std::span(&program_.commands[submitted_], 1)));
    }
    ring(submitted_);
    if (submitted_ != total_) return;
    if (program_.ending == Ending::kRingOverrun) ring(total_ + size + 1 + random_.below(100));
    if (program_.ending == Ending::kRingBackwards) {
      ring(port_.read_register(Register::kRingHead) - 1 - random_.below(100));
    }
  }

  void ring(std::uint32_t tail) {
    port_.write_register(Register::kRingTail, tail & ((1u << device::kCommandIndexBits) - 1));
    ++outcome_.doorbells;
  }

  void wait() {
    if (outcome_.polled || program_.ending == Ending::kReset) {
      port_.run(20 + random_.below(200));
    } else {
      port_.wait_for_interrupt();
    }
  }

  /// Clears interrupts and resumes a fence; returns whether the program has ended.
  bool ended() {
    const std::uint32_t happened = port_.read_register(Register::kInterruptStatus);
    port_.write_register(Register::kInterruptStatus, happened);
    const std::uint32_t status = port_.read_register(Register::kStatus);
    if (program_.ending == Ending::kReset && submitted_ == total_ && random_.below(4) == 0) {
      return true;
    }
    if (status & device::kFaulted) {
      while (port_.read_register(Register::kStatus) & device::kBusy) {
        look_again("stays busy after its fault");
      }
      return true;
    }
    if (status & device::kWaitsForHost) {
      port_.write_register(Register::kResume, random_.bits32());
      ++outcome_.resumes;
    }
    return submitted_ == total_ && !(status & device::kBusy) &&
           port_.read_register(Register::kRingHead) == total_;
  }

  Outcome read_outcome() {
    outcome_.fault = static_cast<device::FaultCode>(port_.read_register(Register::kFaultCode));
    // Without a fault these two may hold anything.
    if (outcome_.fault != device::FaultCode::kNone) {
      outcome_.command = port_.read_register(Register::kFaultCommand);
      outcome_.address = port_.read_register(Register::kFaultAddressLow);
      outcome_.address |= std::uint64_t{port_.read_register(Register::kFaultAddressHigh)} << 32;
    }
    outcome_.head = port_.read_register(Register::kRingHead);
    outcome_.marker = port_.read_register(Register::kMarker);
    outcome_.counters = port_.read_counters();
    return outcome_;
  }

  void reset() {
    port_.write_register(Register::kControl, device::kReset);
    const auto tail = static_cast<std::uint16_t>(Register::kRingTail);
    // A doorbell that names no command, which is harmless if the reset is over.
    const int answer = port_.write_bus(tail, 0, 15).response;
    if ((port_.read_register(Register::kStatus) & device::kResetting) != 0 && answer == 0) {
      throw DeviceError("the device took a doorbell during its reset");
    }
    while (port_.read_register(Register::kStatus) != 0) {
      look_again("does not come out of its reset");
    }
    for (const auto& [name, which] : {std::pair{"fault_code", Register::kFaultCode},
                                      {"ring_head", Register::kRingHead},
                                      {"ring_tail", Register::kRingTail},
                                      {"interrupt_status", Register::kInterruptStatus},
                                      {"marker", Register::kMarker}}) {
      const std::uint32_t left = port_.read_register(which);
      if (left != 0) throw DeviceError(fmt::format("a reset has left {:#x} in {}", left, name));
    }
    const auto counters = port_.read_counters();
    for (std::size_t i = 0; i < counters.size(); ++i) {
      if (counters[i] == 0) continue;
      throw DeviceError(
          fmt::format("a reset has left {} in {}", counters[i], device::kCounterNames[i]));
    }
  }

  /// Ends an endless wait.
  void look_again(std::string_view what) {
    constexpr int kMostLooks = 20'000;
    if (++looks_ <= kMostLooks) return;
    throw DeviceError(fmt::format("the device {} after {} looks: status {:#x}, head {} of {}", what,
                                  kMostLooks, port_.read_register(Register::kStatus),
                                  port_.read_register(Register::kRingHead), total_));
  }

  const Case& case_;
  const Program& program_;
  sim::DevicePort& port_;
  DeviceMemory& memory_;
  Random random_;
  std::uint32_t total_;
  std::uint32_t submitted_ = 0;
  std::vector<std::pair<int, std::uint32_t>> settings_;  // offset, value
  int looks_ = 0;
  Outcome outcome_;
};

}  // namespace

Outcome run_program(const Case& which, const Program& program, sim::DevicePort& port,
                    DeviceMemory& memory) {
  return Host(which, program, port, memory).run();
}

}  // namespace systole::verify
