#include "sim/systemc/systemc_bench.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "host/device/device.h"

namespace systole::sim {

std::mutex& SystemcBench::scheduler() {
  static std::mutex mutex;
  return mutex;
}

const std::vector<SystemcBench*>& SystemcBench::all() {
  // Never destroyed: SystemC's own statics may be destroyed first.
  static const std::vector<SystemcBench*> benches = [] {
    // A restart that changes no signal is no reason for a warning.
    sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_,
                                            sc_core::SC_DO_NOTHING);
    std::vector<SystemcBench*> made;
    for (int i = 0; i < kBenches; ++i) {
      made.push_back(new SystemcBench(fmt::format("bench_{}", i).c_str()));
    }
    for (int i = 0; i + 1 < kBenches; ++i) {
      SystemcBench& lower = *made[static_cast<std::size_t>(i)];
      SystemcBench& upper = *made[static_cast<std::size_t>(i + 1)];
      lower.link_above_ = new LinkModule(fmt::format("link_{}", i).c_str());
      lower.link_above_->clk(lower.clock_.clk);
      lower.link_above_->lower_from(lower.up_from_);
      lower.link_above_->lower_to(lower.up_to_);
      lower.link_above_->upper_from(upper.down_from_);
      lower.link_above_->upper_to(upper.down_to_);
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    return made;
  }();
  return benches;
}

std::vector<SystemcBench*> SystemcBench::acquire_line(int count) {
  std::vector<SystemcBench*> line;
  for (SystemcBench* bench : all()) {
    if (bench->in_use_) {
      line.clear();
      continue;
    }
    line.push_back(bench);
    if (std::ssize(line) < count) continue;
    for (SystemcBench* one : line) one->in_use_ = true;
    return line;
  }
  throw DeviceError(
      fmt::format("SystemC elaborates once in a process, here for {} systemc devices, {} side by "
                  "side for a line of them, and too many are in use: destroy one first, or use "
                  "another process or the device rtl",
                  kBenches, count));
}

SystemcBench::SystemcBench(const sc_core::sc_module_name& name)
    : sc_module(name),
      clock_("clock", period_),
      first_("first", failure_),
      second_("second", failure_),
      checks_("checks", failure_),
      axi_to_tlm_("axi_to_tlm", period_, failure_),
      memory_("memory", period_),
      tlm_to_lite_("tlm_to_lite"),
      host_("host", clock_) {
  for (DeviceModule* device : {&first_, &second_}) {
    device->clk(clock_.clk);
    device->axi_in(axi_to_);
    device->lite_in(lite_to_);
    device->up_in(up_to_);
    device->down_in(down_to_);
  }
  first_.axi_out(axi_from_);
  first_.lite_out(lite_from_);
  first_.up_out(up_from_);
  first_.down_out(down_from_);
  first_.interrupt(interrupt_);
  second_.axi_out(axi_from_second_);
  second_.lite_out(lite_from_second_);
  second_.up_out(up_from_second_);
  second_.down_out(down_from_second_);
  second_.interrupt(interrupt_second_);

  checks_.clk(clock_.clk);
  checks_.axi_to(axi_to_);
  checks_.lite_to(lite_to_);
  checks_.axi_first(axi_from_);
  checks_.axi_second(axi_from_second_);
  checks_.lite_first(lite_from_);
  checks_.lite_second(lite_from_second_);
  checks_.up_first(up_from_);
  checks_.up_second(up_from_second_);
  checks_.down_first(down_from_);
  checks_.down_second(down_from_second_);
  checks_.interrupt_first(interrupt_);
  checks_.interrupt_second(interrupt_second_);

  axi_to_tlm_.clk(clock_.clk);
  axi_to_tlm_.from(axi_from_);
  axi_to_tlm_.to(axi_to_);
  axi_to_tlm_.memory.bind(memory_.port);

  tlm_to_lite_.clk(clock_.clk);
  tlm_to_lite_.from(lite_from_);
  tlm_to_lite_.to(lite_to_);
  host_.registers.bind(tlm_to_lite_.port);
  host_.interrupt(interrupt_);
}

void SystemcBench::release() {
  first_.drop_model();
  second_.drop_model();
  if (link_above_ != nullptr) link_above_->restart(false);
  in_use_ = false;
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
  // Updates the signals with the values written between two runs.
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

}  // namespace systole::sim

// Programs have their own main, but SystemC's library refers to this symbol.
int sc_main(int, char*[]) { return 1; }
