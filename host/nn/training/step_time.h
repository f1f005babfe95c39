#pragma once

#include <cstdint>
#include <vector>

namespace systole::nn {

/// The time of training steps on a strategy's cores since compile.
///
/// Units    cycles are device clocks: simulated, exact, all 0 on cpu. A step lasts as long as its
///          slowest core plus the gradient sum, whose time is modelled, not simulated (see
///          host/distribute/interconnect.h)
struct StepTime {
  std::int64_t steps = 0;
  std::vector<std::uint64_t> core_cycles;  ///< each core's own sum, over all ranks
  std::uint64_t slowest_cycles = 0;        ///< the sum over steps of the slowest core's
  std::int64_t all_reduce_bytes = 0;       ///< sent by each core
  double all_reduce_seconds = 0;           ///< modelled
  std::int64_t infeed_bytes = 0;           ///< batches of whole steps

  /// Seconds of all steps at this clock: computation, then gradient sums.
  double device_seconds(double clock_mhz) const {
    return compute_seconds(clock_mhz) + all_reduce_seconds;
  }
  double compute_seconds(double clock_mhz) const {
    return clock_mhz > 0 ? static_cast<double>(slowest_cycles) / (clock_mhz * 1e6) : 0.0;
  }

  /// The share of that time in which an average core computes, 0..1; 0 without a clock. It does not
  /// show what small parts of a batch cost within a core; utilization does.
  double scaling_efficiency(double clock_mhz) const {
    double busy = 0;
    for (const std::uint64_t cycles : core_cycles) busy += static_cast<double>(cycles);
    const double seconds = device_seconds(clock_mhz);
    if (seconds <= 0 || core_cycles.empty()) return 0;
    return busy / static_cast<double>(core_cycles.size()) / (clock_mhz * 1e6) / seconds;
  }
};

}  // namespace systole::nn
