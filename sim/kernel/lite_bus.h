#pragma once

#include <cstdint>
#include <functional>

#include "sim/monitor/lite_monitor.h"
#include "systole/cosim/kernel_ports.h"

namespace systole::sim {

/// The host's end of a device's AXI4-Lite port, s_axil_awvalid_i and so on: one access at a time.
///
/// Timing   an access makes as many clocks as it takes
/// Errors   std::runtime_error for an access that is answered with an error, or not within
///          kMostClocks; ProtocolError where the device breaks a rule of AXI4-Lite
class LiteBus {
 public:
  static constexpr int kMostClocks = 1000;

  /// `clock` makes one clock of the device, and calls check() in it.
  LiteBus(cosim::KernelPorts& ports, std::function<void()> clock)
      : ports_(ports), clock_(std::move(clock)) {}

  std::uint32_t read(std::uint32_t offset);
  void write(std::uint32_t offset, std::uint32_t value);
  /// The signals of this clock: what the device has answered, and whether it kept the rules.
  void check();

 private:
  void wait_for(const bool& done, const char* what, std::uint32_t offset);
  void drive();

  cosim::KernelPorts& ports_;
  std::function<void()> clock_;
  LiteMonitor monitor_;
  LiteToDevice to_;
  bool answered_ = false;
  std::uint32_t data_ = 0;
  int response_ = 0;
};

}  // namespace systole::sim
