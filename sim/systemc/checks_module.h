#pragma once

#include <cstdint>
#include <optional>
#include <systemc>

#include "sim/monitor/axi_monitor.h"
#include "sim/monitor/lite_monitor.h"
#include "sim/systemc/bundles.h"
#include "sim/systemc/failure.h"

namespace systole::sim {

/// Checks the signals in every clock: both ports follow the protocol, and the second device, if
/// any, shows the same as the first.
///
/// Errors   puts ProtocolError and LockstepError, with port, clock and values, into `failure`
class ChecksModule : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk{"clk"};
  sc_core::sc_in<AxiToDevice> axi_to{"axi_to"};
  sc_core::sc_in<LiteToDevice> lite_to{"lite_to"};
  sc_core::sc_in<AxiFromDevice> axi_first{"axi_first"};
  sc_core::sc_in<AxiFromDevice> axi_second{"axi_second"};
  sc_core::sc_in<LiteFromDevice> lite_first{"lite_first"};
  sc_core::sc_in<LiteFromDevice> lite_second{"lite_second"};
  sc_core::sc_in<LinkFromDevice> up_first{"up_first"}, down_first{"down_first"};
  sc_core::sc_in<LinkFromDevice> up_second{"up_second"}, down_second{"down_second"};
  sc_core::sc_in<bool> interrupt_first{"interrupt_first"};
  sc_core::sc_in<bool> interrupt_second{"interrupt_second"};

  ChecksModule(const sc_core::sc_module_name& name, Failure& failure);

  /// Restarts at clock 0. Call between two runs of the simulation.
  void restart(int bus_bytes, bool monitors, bool compares);

 private:
  void clock();

  Failure& failure_;
  std::optional<AxiMonitor> axi_monitor_;
  std::optional<LiteMonitor> lite_monitor_;
  int bus_bytes_ = 0;
  bool compares_ = false;
  std::uint64_t clock_ = 0;
};

}  // namespace systole::sim
