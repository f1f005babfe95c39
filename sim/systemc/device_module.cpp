#include "sim/systemc/device_module.h"

#include <utility>

namespace systole::sim {

DeviceModule::DeviceModule(const sc_core::sc_module_name& name, Failure& failure)
    : sc_module(name), failure_(failure) {
  SC_HAS_PROCESS(DeviceModule);
  SC_METHOD(clock);
  sensitive << clk.pos();
  dont_initialize();
}

void DeviceModule::restart(std::unique_ptr<DeviceModel> model) {
  model_ = std::move(model);
  from_ = {};
  if (model_) model_->reset();
  show();
}

void DeviceModule::clock() {
  failure_.guard([&] {
    if (!model_) return;
    to_.axi = axi_in->read();
    to_.lite = lite_in->read();
    to_.up = up_in->read();
    to_.down = down_in->read();
    model_->clock(to_);
    show();
  });
}

void DeviceModule::show() {
  if (model_) model_->show(from_);
  axi_out->write(from_.axi);
  lite_out->write(from_.lite);
  up_out->write(from_.up);
  down_out->write(from_.down);
  interrupt->write(from_.interrupt);
}

}  // namespace systole::sim
