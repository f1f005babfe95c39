#pragma once

#include <cstdint>
#include <vector>

namespace systole::nn {

/// The time of training steps on a strategy's cores since compile.
///
/// Units    cycles are device clocks: simulated, exact, all 0 on cpu. A step lasts as long as its
///          slowest core. Where cores run together that has the sums over their links; a sum on the
///          host takes no clocks
struct StepTime {
  std::int64_t steps = 0;
  std::vector<std::uint64_t> core_cycles;       ///< each core's own sum, over all ranks
  std::vector<std::uint64_t> link_wait_cycles;  ///< in which its streams wait for a neighbour
  std::uint64_t slowest_cycles = 0;             ///< the sum over launches of the slowest core's
  std::int64_t infeed_bytes = 0;                ///< batches of whole steps

  /// Seconds of all steps at this clock.
  double device_seconds(double clock_mhz) const {
    return clock_mhz > 0 ? static_cast<double>(slowest_cycles) / (clock_mhz * 1e6) : 0.0;
  }

  /// The share of that time in which an average core does not wait for others, 0..1; 0 without a
  /// clock: it runs, and no stream of it waits for a neighbour's words. It does not show what small
  /// parts of a batch cost within a core; utilization does. Nor what sums cost the lanes.
  double busy_share() const {
    double busy = 0;
    for (const std::uint64_t cycles : core_cycles) busy += static_cast<double>(cycles);
    for (const std::uint64_t cycles : link_wait_cycles) busy -= static_cast<double>(cycles);
    if (slowest_cycles == 0 || core_cycles.empty()) return 0;
    return busy / static_cast<double>(core_cycles.size()) / static_cast<double>(slowest_cycles);
  }
};

}  // namespace systole::nn
