#pragma once

#include <cstdint>
#include <systemc>

namespace systole::sim {

/// A clock that runs only on request: an idle bench sees no edges while others run.
class GatedClock : public sc_core::sc_module {
 public:
  sc_core::sc_signal<bool> clk{"clk", true};  ///< as after a rising edge, where it always stops
  sc_core::sc_event counted{"counted"};  ///< notified with the last edge that count() asked for

  GatedClock(const sc_core::sc_module_name& name, const sc_core::sc_time& period);

  void start();
  void stop() { runs_ = false; }

  /// Notifies `counted` after this many rising edges; 0 cancels an earlier request.
  void count(std::uint64_t edges);

 private:
  void step();

  sc_core::sc_time half_;
  sc_core::sc_event started_{"started"};
  bool runs_ = false;
  bool steps_ = false;  // the next step toggles clk; the first one only schedules it
  std::uint64_t left_ = 0;
};

}  // namespace systole::sim
