#pragma once

#include <memory>
#include <systemc>

#include "sim/systemc/bundles.h"
#include "sim/systemc/device_model.h"
#include "sim/systemc/failure.h"

namespace systole::sim {

/// A simulation of the accelerator, RTL or native C++, as a clocked module.
///
/// Limits   without a model its outputs stay zero
/// Timing   all outputs are registers: they change with the rising edge
class DeviceModule : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk{"clk"};
  sc_core::sc_in<AxiToDevice> axi_in{"axi_in"};
  sc_core::sc_in<LiteToDevice> lite_in{"lite_in"};
  sc_core::sc_in<LinkToDevice> up_in{"up_in"}, down_in{"down_in"};
  sc_core::sc_out<AxiFromDevice> axi_out{"axi_out"};
  sc_core::sc_out<LiteFromDevice> lite_out{"lite_out"};
  sc_core::sc_out<LinkFromDevice> up_out{"up_out"}, down_out{"down_out"};
  sc_core::sc_out<bool> interrupt{"interrupt"};

  DeviceModule(const sc_core::sc_module_name& name, Failure& failure);

  /// Restarts with this model, reset. Call between two runs of the simulation.
  void restart(std::unique_ptr<DeviceModel> model);

  void drop_model() { model_ = nullptr; }

 private:
  void clock();
  void show();

  Failure& failure_;
  std::unique_ptr<DeviceModel> model_;
  ToDevice to_;
  FromDevice from_;
};

}  // namespace systole::sim
