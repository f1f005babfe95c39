#pragma once

#include <verilated.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/kernel/axi_port.h"
#include "sim/kernel/lite_bus.h"

namespace systole::sim {

/// A device that `hlsc --interface axi4lite` made, Verilated under a flat top, with memory on its
/// AXI ports: the Bus of its driver.
///
/// Shapes   the ports are those that flat_top.cmake writes down, kNAMEInputs and kNAMEOutputs
/// Errors   as AxiPort and LiteBus
template <typename Model>
class SimulatedBlock {
 public:
  SimulatedBlock(std::span<const cosim::Port> inputs, std::span<const cosim::Port> outputs,
                 const MemoryBehaviour& behaviour = {})
      : ports_(inputs, outputs), model_(&context_), bus_(ports_, [this] { clock(); }) {
    constexpr std::string_view kEnds[] = {"_rvalid_i", "_bvalid_i"};
    for (const cosim::Port& port : inputs) {
      for (const std::string_view end : kEnds) {
        if (!port.name.ends_with(end)) continue;
        add_port(std::string(port.name.substr(0, port.name.size() - end.size())), behaviour);
      }
    }
    make_edge(false);
    make_edge(false);
  }

  std::uint32_t read(std::uint32_t offset) { return bus_.read(offset); }
  void write(std::uint32_t offset, std::uint32_t value) { bus_.write(offset, value); }

  DeviceMemory& memory() { return memory_; }
  std::uint64_t clocks() const { return clocks_; }
  const std::vector<AxiPort>& axi() const { return axi_; }

 private:
  void add_port(const std::string& name, const MemoryBehaviour& behaviour) {
    for (const std::string& known : names_) {
      if (known == name) return;
    }
    if (!AxiPort::is_port(name, ports_)) return;
    names_.push_back(name);
    axi_.emplace_back(name, ports_, memory_, behaviour);
  }

  void make_edge(bool runs) {
    ports_.in().store(model_.in_i);
    model_.rst_ni = runs ? 1 : 0;
    model_.clk_i = 0;
    model_.eval();
    ports_.out().load(model_.out_o);
    if (runs) {
      bus_.check();
      for (AxiPort& port : axi_) port.transfer(ports_);
    }
    model_.clk_i = 1;
    model_.eval();
  }

  void clock() {
    for (const AxiPort& port : axi_) port.drive(ports_);
    make_edge(true);
    ++clocks_;
  }

  VerilatedContext context_;
  cosim::KernelPorts ports_;
  Model model_;
  DeviceMemory memory_;
  std::vector<std::string> names_;
  std::vector<AxiPort> axi_;
  LiteBus bus_;
  std::uint64_t clocks_ = 0;
};

}  // namespace systole::sim
