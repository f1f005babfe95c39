#pragma once

#include <memory>
#include <mutex>
#include <systemc>
#include <vector>

#include "sim/device/device_harness.h"
#include "sim/systemc/axi_to_tlm.h"
#include "sim/systemc/checks_module.h"
#include "sim/systemc/device_model.h"
#include "sim/systemc/device_module.h"
#include "sim/systemc/gated_clock.h"
#include "sim/systemc/link_module.h"
#include "sim/systemc/tlm_host.h"
#include "sim/systemc/tlm_memory.h"
#include "sim/systemc/tlm_to_lite.h"

namespace systole::sim {

/// The whole bench: host -> TLM -> AXI4-Lite -> device -> AXI4 -> TLM -> memory, a second device
/// with the same inputs, and the checks of all signals. Between neighbouring benches are links.
///
/// Limits   SystemC elaborates once, so the first use creates all kBenches benches of a process;
///          each serves one device after another, of any size
class SystemcBench : public sc_core::sc_module {
 public:
  static constexpr int kBenches = 16;

  /// Guards SystemC's only scheduler; held by the thread that runs it.
  static std::mutex& scheduler();

  /// A free bench. The caller holds the scheduler.
  ///
  /// Errors   DeviceError if all are in use
  static SystemcBench& acquire() { return *acquire_line(1).front(); }
  /// So many free benches in a row.
  static std::vector<SystemcBench*> acquire_line(int count);
  void release();

  /// Restarts with these devices. Nothing is compared if `second` is null.
  void restart(std::unique_ptr<DeviceModel> first, std::unique_ptr<DeviceModel> second,
               DeviceMemory& memory, const MemoryBehaviour& behaviour,
               const HarnessOptions& options);

  /// Joins the core to that of the bench above, which runs in the same clocks.
  void join_above(bool joins) { link_above_->restart(joins); }
  LinkModule& link_above() { return *link_above_; }

  TlmHost& host() { return host_; }
  std::uint64_t clocks() const { return axi_to_tlm_.clocks(); }
  bool interrupt() const { return interrupt_.read(); }

  /// Errors   the first exception of a process
  void require_sound() const {
    if (failure_) failure_.rethrow();
  }

 private:
  explicit SystemcBench(const sc_core::sc_module_name& name);
  static const std::vector<SystemcBench*>& all();

  bool in_use_ = false;
  Failure failure_;
  sc_core::sc_time period_{1, sc_core::SC_NS};
  GatedClock clock_;
  sc_core::sc_signal<AxiToDevice> axi_to_{"axi_to"};
  sc_core::sc_signal<LiteToDevice> lite_to_{"lite_to"};
  sc_core::sc_signal<AxiFromDevice> axi_from_{"axi_from"}, axi_from_second_{"axi_from_second"};
  sc_core::sc_signal<LiteFromDevice> lite_from_{"lite_from"}, lite_from_second_{"lite_from_second"};
  sc_core::sc_signal<LinkToDevice> up_to_{"up_to"}, down_to_{"down_to"};
  sc_core::sc_signal<LinkFromDevice> up_from_{"up_from"}, up_from_second_{"up_from_second"};
  sc_core::sc_signal<LinkFromDevice> down_from_{"down_from"}, down_from_second_{"down_from_second"};
  sc_core::sc_signal<bool> interrupt_{"interrupt"}, interrupt_second_{"interrupt_second"};
  DeviceModule first_, second_;
  ChecksModule checks_;
  AxiToTlm axi_to_tlm_;
  TlmMemory memory_;
  TlmToLite tlm_to_lite_;
  TlmHost host_;
  LinkModule* link_above_ = nullptr;  ///< none of the last bench
};

}  // namespace systole::sim
