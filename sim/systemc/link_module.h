#pragma once

#include <cstdint>
#include <systemc>

#include "hls/kernels/link.h"
#include "sim/systemc/bundles.h"

namespace systole::sim {

/// The link between a core and the one above it: kernels::Link each way, in every clock.
///
/// Limits   until it joins two cores nothing is offered to either, and nothing is taken
class LinkModule : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk{"clk"};  ///< of both cores, which run in the same clocks
  sc_core::sc_in<LinkFromDevice> lower_from{"lower_from"}, upper_from{"upper_from"};
  sc_core::sc_out<LinkToDevice> lower_to{"lower_to"}, upper_to{"upper_to"};

  explicit LinkModule(const sc_core::sc_module_name& name);

  /// Restarts with nothing under way. Call between two runs of the simulation.
  void restart(bool joins);

  /// Holds beats from the lower core for this number of clocks.
  void stall(std::uint64_t clocks) { stalls_ = clocks; }

 private:
  using Direction = kernels::Link<LinkBeat>;

  void clock();
  void show();

  bool joins_ = false;
  std::uint64_t stalls_ = 0;  ///< clocks
  Direction up_, down_;
};

}  // namespace systole::sim
