#include "sim/systemc/gated_clock.h"

namespace systole::sim {

GatedClock::GatedClock(const sc_core::sc_module_name& name, const sc_core::sc_time& period)
    : sc_module(name), half_(period / 2) {
  SC_HAS_PROCESS(GatedClock);
  SC_METHOD(step);
  sensitive << started_;
  dont_initialize();
}

void GatedClock::start() {
  runs_ = true;
  started_.notify(sc_core::SC_ZERO_TIME);
}

void GatedClock::count(std::uint64_t edges) {
  left_ = edges;
  counted.cancel();
}

void GatedClock::step() {
  if (!runs_) {
    steps_ = false;
    return;
  }
  if (steps_) {
    const bool rises = !clk.read();
    clk.write(rises);
    // Notified together with the signal's own event, so a waiting thread runs at the edge.
    if (rises && left_ != 0 && --left_ == 0) counted.notify(sc_core::SC_ZERO_TIME);
  }
  steps_ = true;
  next_trigger(half_);
}

}  // namespace systole::sim
