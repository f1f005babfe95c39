#include "sim/systemc/checks_module.h"

#include "sim/device/same_signals.h"

namespace systole::sim {

ChecksModule::ChecksModule(const sc_core::sc_module_name& name, Failure& failure)
    : sc_module(name), failure_(failure) {
  SC_HAS_PROCESS(ChecksModule);
  SC_METHOD(clock);
  sensitive << clk.pos();
  dont_initialize();
}

void ChecksModule::restart(int bus_bytes, bool monitors, bool compares) {
  axi_monitor_.reset();
  lite_monitor_.reset();
  if (monitors) {
    axi_monitor_.emplace(bus_bytes);
    lite_monitor_.emplace();
  }
  bus_bytes_ = bus_bytes;
  compares_ = compares;
  clock_ = 0;
}

void ChecksModule::clock() {
  failure_.guard([&] {
    if (axi_monitor_) axi_monitor_->check(axi_first->read(), axi_to->read());
    if (lite_monitor_) lite_monitor_->check(lite_first->read(), lite_to->read());
    if (compares_) {
      const FromDevice first{axi_first->read(), lite_first->read(), interrupt_first->read(),
                             up_first->read(), down_first->read()};
      const FromDevice second{axi_second->read(), lite_second->read(), interrupt_second->read(),
                              up_second->read(), down_second->read()};
      require_same(clock_, first, second, bus_bytes_);
    }
    ++clock_;
  });
}

}  // namespace systole::sim
