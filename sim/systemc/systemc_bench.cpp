#include "sim/systemc/systemc_bench.h"

#include <utility>

namespace systole::sim {

SystemcBench& SystemcBench::instance() {
  // Never destroyed: SystemC's own statics may be gone before it would be.
  static SystemcBench* const bench = [] {
    auto* made = new SystemcBench("bench");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    return made;
  }();
  return *bench;
}

SystemcBench::SystemcBench(const sc_core::sc_module_name& name)
    : sc_module(name),
      clock_("clock", period_, 0.5, period_),
      first_("first", failure_),
      second_("second", failure_),
      checks_("checks", failure_),
      axi_to_tlm_("axi_to_tlm", period_, failure_),
      memory_("memory", period_),
      tlm_to_lite_("tlm_to_lite"),
      host_("host", period_) {
  for (DeviceModule* device : {&first_, &second_}) {
    device->clk(clock_);
    device->axi_in(axi_to_);
    device->lite_in(lite_to_);
  }
  first_.axi_out(axi_from_);
  first_.lite_out(lite_from_);
  first_.interrupt(interrupt_);
  second_.axi_out(axi_from_second_);
  second_.lite_out(lite_from_second_);
  second_.interrupt(interrupt_second_);

  checks_.clk(clock_);
  checks_.axi_to(axi_to_);
  checks_.lite_to(lite_to_);
  checks_.axi_first(axi_from_);
  checks_.axi_second(axi_from_second_);
  checks_.lite_first(lite_from_);
  checks_.lite_second(lite_from_second_);
  checks_.interrupt_first(interrupt_);
  checks_.interrupt_second(interrupt_second_);

  axi_to_tlm_.clk(clock_);
  axi_to_tlm_.from(axi_from_);
  axi_to_tlm_.to(axi_to_);
  axi_to_tlm_.memory.bind(memory_.port);

  tlm_to_lite_.clk(clock_);
  tlm_to_lite_.from(lite_from_);
  tlm_to_lite_.to(lite_to_);
  host_.registers.bind(tlm_to_lite_.port);
  host_.clk(clock_);
  host_.interrupt(interrupt_);
}

void SystemcBench::restart(std::unique_ptr<DeviceModel> first, std::unique_ptr<DeviceModel> second,
                           DeviceMemory& memory, const MemoryBehaviour& behaviour,
                           const HarnessOptions& options) {
  const int bus_bytes = first->array_size();
  axi_to_tlm_.restart(bus_bytes, behaviour);
  memory_.restart(memory, behaviour);
  tlm_to_lite_.restart(options.lite_seed);
  checks_.restart(bus_bytes, options.monitors, second != nullptr);
  first_.restart(std::move(first));
  second_.restart(std::move(second));
  failure_.clear();
  // The signals take what was written between two runs.
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

}  // namespace systole::sim

// Programs have a main of their own, but SystemC's library asks for this name.
int sc_main(int, char*[]) { return 1; }
