#include "host/device/counters.h"

namespace systole {

using device::Count;

Counters& Counters::operator+=(const Counters& other) {
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
  programs += other.programs;
  products += other.products;
  macs += other.macs;
  return *this;
}

Counters operator-(Counters a, const Counters& b) {
  for (std::size_t i = 0; i < a.counts.size(); ++i) a.counts[i] -= b.counts[i];
  a.programs -= b.programs;
  a.products -= b.products;
  a.macs -= b.macs;
  return a;
}

double utilization(const Counters& counters, int array_size) {
  if (counters.cycles() == 0) return 0;
  const double macs_per_cycle = static_cast<double>(array_size) * array_size;
  return static_cast<double>(counters.macs) /
         (static_cast<double>(counters.cycles()) * macs_per_cycle);
}

Stalls stalls(const Counters& counters) {
  Stalls stalls{.load = counters[Count::kWaitForLoad],
                .store = counters[Count::kWaitForStore],
                .weights = counters[Count::kWaitForWeights],
                .sums = counters[Count::kWaitForSums],
                .vector = counters[Count::kWaitForVector]};
  // wait_for_command also counts a few clocks before and after those of the program.
  const std::uint64_t named = counters[Count::kRows] + stalls.load + stalls.store + stalls.weights +
                              stalls.sums + stalls.vector;
  stalls.idle = counters.cycles() > named ? counters.cycles() - named : 0;
  return stalls;
}

}  // namespace systole
