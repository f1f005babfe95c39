#pragma once

#include <memory>
#include <string>

#include "host/device/device_memory.h"
#include "sim/memory/axi_memory.h"
#include "sim/monitor/axi_monitor.h"
#include "systole/cosim/kernel_ports.h"

namespace systole::sim {

/// Memory on one AXI port of a function over arrays, NAME_arvalid_o and so on, and a monitor of the
/// protocol.
///
/// Errors   ProtocolError where the port breaks a rule of AXI4
class AxiPort {
 public:
  AxiPort(std::string name, const cosim::KernelPorts& ports, DeviceMemory& memory,
          MemoryBehaviour behaviour);

  void drive(cosim::KernelPorts& ports) const;     ///< the inputs of this clock
  void transfer(const cosim::KernelPorts& ports);  ///< at the edge that ends this clock
  void finish() const { monitor_.finish(); }

  /// Beats of the longest burst so far.
  int longest_burst() const { return longest_burst_; }

  /// Whether there is an AXI port of this name.
  static bool is_port(const std::string& name, const cosim::KernelPorts& ports);

 private:
  AxiFromDevice signals_of(const cosim::KernelPorts& ports) const;

  std::string name_;
  int bus_bytes_;
  bool reads_;
  AxiMemory memory_;
  AxiMonitor monitor_;
  AxiToDevice to_;
  int longest_burst_ = 0;
};

}  // namespace systole::sim
