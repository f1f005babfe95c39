#pragma once

#include <cstdint>
#include <systemc>

namespace systole::sim {

/// A clock that runs only while it is told to: a bench that has nothing to do sees no edges while
/// others go on.
class GatedClock : public sc_core::sc_module {
 public:
  sc_core::sc_signal<bool> clk{"clk"};
  sc_core::sc_event counted{"counted"};  ///< with the last of count() rising edges

  GatedClock(const sc_core::sc_module_name& name, const sc_core::sc_time& period);

  void start();
  void stop() { runs_ = false; }

  /// Counts so many rising edges; 0 ends the count.
  void count(std::uint64_t edges);

 private:
  void step();

  sc_core::sc_time half_;
  sc_core::sc_event started_{"started"};
  bool runs_ = false;
  bool steps_ = false;  // the next step is due half a clock after the last
  std::uint64_t left_ = 0;
};

}  // namespace systole::sim
