#include "host/driver/counters.h"

namespace systole {

Counters& Counters::operator+=(const Counters& other) {
  cycles += other.cycles;
  busy_cycles += other.busy_cycles;
  weight_stall_cycles += other.weight_stall_cycles;
  hazard_stall_cycles += other.hazard_stall_cycles;
  drain_cycles += other.drain_cycles;
  tiles += other.tiles;
  products += other.products;
  macs += other.macs;
  return *this;
}

Counters operator-(Counters a, const Counters& b) {
  a.cycles -= b.cycles;
  a.busy_cycles -= b.busy_cycles;
  a.weight_stall_cycles -= b.weight_stall_cycles;
  a.hazard_stall_cycles -= b.hazard_stall_cycles;
  a.drain_cycles -= b.drain_cycles;
  a.tiles -= b.tiles;
  a.products -= b.products;
  a.macs -= b.macs;
  return a;
}

double utilization(const Counters& counters, int array_size) {
  if (counters.cycles == 0) return 0;
  const double macs_per_cycle = static_cast<double>(array_size) * array_size;
  return static_cast<double>(counters.macs) /
         (static_cast<double>(counters.cycles) * macs_per_cycle);
}

}  // namespace systole
