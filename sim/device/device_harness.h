#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "host/device/device.h"
#include "host/device/device_memory.h"
#include "sim/device/device_port.h"
#include "sim/device/neighbours.h"
#include "sim/device/simulated_device.h"
#include "sim/device/watchdog.h"
#include "sim/memory/axi_memory.h"
#include "sim/monitor/axi_monitor.h"
#include "sim/monitor/lite_monitor.h"
#include "systole/cosim/random.h"

namespace systole::sim {

struct HarnessOptions {
  bool monitors = true;  ///< check the protocol in every clock; costs time
  /// If not 0, the host's AXI4-Lite signals come in any order the protocol allows, with gaps.
  std::uint64_t lite_seed = 0;
  std::uint64_t register_seed = 0;   ///< seeds the RTL's registers before reset
  std::uint64_t patience = 100'000;  ///< clocks between two checks of the watchdog
  Neighbours* neighbours = nullptr;  ///< of the core; it has none unless told
};

/// A simulated accelerator, its memory, and a host that reads and writes registers.
///
/// Timing   one clock a tick; the device has been reset
/// Limits   memory answers within `patience` clocks
template <SimulatedDevice Device>
class DeviceHarness final : public DevicePort {
 public:
  DeviceHarness(std::unique_ptr<Device> device, DeviceMemory& memory,
                MemoryBehaviour behaviour = {}, HarnessOptions options = {})
      : device_(std::move(device)),
        memory_(memory, Device::kBus, std::move(behaviour), carries()),
        options_(options),
        axi_monitor_(Device::kBus),
        random_(options.lite_seed) {
    device_->reset();
    device_->show(from_);
  }

  LiteAnswer read_bus(std::uint16_t offset) override {
    LiteToDevice& lite = to_.lite;
    lite.read_address = offset;
    Signal address{&lite.read_address_valid, gap()};
    Signal ready{&lite.read_data_ready, gap()};
    return transact([&] {
      address.drive();
      ready.drive();
      const bool taken = lite.read_address_valid && from_.lite.read_address_ready;
      const bool answered = lite.read_data_ready && from_.lite.read_data_valid;
      const LiteAnswer answer{from_.lite.read_data, from_.lite.read_response};
      tick();
      address.done |= taken;
      ready.done |= answered;
      return std::pair(answered, answer);
    });
  }

  LiteAnswer write_bus(std::uint16_t offset, std::uint32_t value, int strobe) override {
    LiteToDevice& lite = to_.lite;
    lite.write_address = offset;
    lite.write_data = value;
    lite.write_strobe = static_cast<std::uint8_t>(strobe);
    Signal address{&lite.write_address_valid, gap()};
    Signal data{&lite.write_data_valid, gap()};
    Signal ready{&lite.write_response_ready, gap()};
    return transact([&] {
      address.drive();
      data.drive();
      ready.drive();
      const bool address_taken = lite.write_address_valid && from_.lite.write_address_ready;
      const bool data_taken = lite.write_data_valid && from_.lite.write_data_ready;
      const bool answered = lite.write_response_ready && from_.lite.write_response_valid;
      const LiteAnswer answer{0, from_.lite.write_response};
      tick();
      address.done |= address_taken;
      data.done |= data_taken;
      ready.done |= answered;
      return std::pair(answered, answer);
    });
  }

  void wait_for_interrupt() override {
    Watchdog watchdog;
    for (;;) {
      for (std::uint64_t clock = 0; clock < options_.patience; ++clock) {
        if (from_.interrupt) return;
        tick();
      }
      watchdog.look(*this, options_.patience);
    }
  }

  bool interrupt() const override { return from_.interrupt; }

  void run(std::uint64_t clocks) override {
    for (std::uint64_t clock = 0; clock < clocks; ++clock) tick();
  }

  std::uint64_t clocks() const override { return memory_.clocks(); }

  bool bus_idle() const { return memory_.idle(); }
  Device& simulated() { return *device_; }

 private:
  static constexpr AxiMemory::Carries carries() {
    if constexpr (requires { requires !Device::kData; }) return AxiMemory::Carries::kPrograms;
    return AxiMemory::Carries::kAll;
  }

  /// A valid or ready signal of the host: it rises after a gap and stays high until its transfer.
  struct Signal {
    bool* level;
    int gap;
    bool done = false;
    void drive() { *level = !done && gap-- <= 0; }
  };

  int gap() { return options_.lite_seed == 0 ? 0 : random_.between(0, 6) - 2; }

  /// Ticks through one access, until `step` returns that it was answered.
  template <typename Step>
  LiteAnswer transact(Step step) {
    constexpr int kLongest = 1000;
    for (int clock = 0; clock < kLongest; ++clock) {
      const auto [answered, answer] = step();
      if (!answered) continue;
      to_.lite = {};
      return answer;
    }
    throw DeviceError(fmt::format("a register access was not answered in {} clocks", kLongest));
  }

  void tick() {
    if (options_.monitors) {
      axi_monitor_.check(from_.axi, to_.axi);
      lite_monitor_.check(from_.lite, to_.lite);
    }
    if (options_.neighbours != nullptr) {
      options_.neighbours->show(to_);
      options_.neighbours->clock(from_, to_);
    }
    device_->clock(to_);
    memory_.tick(from_.axi, to_.axi);
    device_->show(from_);
  }

  std::unique_ptr<Device> device_;
  AxiMemory memory_;
  HarnessOptions options_;
  AxiMonitor axi_monitor_;
  LiteMonitor lite_monitor_;
  cosim::Random random_;
  FromDevice from_;
  ToDevice to_;
};

}  // namespace systole::sim
