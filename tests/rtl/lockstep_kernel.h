#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/rtl/lockstep.h"
#include "tests/rtl/traffic.h"

namespace systole::tests {

/// The result of driving a kernel and its RTL in lock-step.
struct LockstepReport {
  std::uint64_t compared_edges = 0;
  std::uint64_t resets = 0;  ///< of these, edges in reset
  std::uint64_t mismatches = 0;
  std::uint64_t fewest_changes = 0;  ///< of the output port that changed least
  std::string first_mismatch;        ///< empty if none
};

/// A kernel that can be driven in lock-step with its RTL, by name.
struct LockstepKernel {
  std::string name;
  std::uint64_t test_edges;  ///< compared in tests; a campaign runs more
  bool has_reset;
  LockstepReport (*run)(std::uint64_t seed, std::uint64_t edges);
};

/// Every kernel of this build.
std::vector<LockstepKernel> lockstep_kernels();

/// Drives Top's kernel and its RTL for `edges` edges of random inputs after bringing both to a
/// known state. Beyond what Lockstep asks for, Top has a Stimulus:
///   Inputs next(Random&)                any inputs
///   static constexpr int kPrimeClocks   clocks that bring everything visible to a known value
///   void prime(int clock, Inputs&)      turns any inputs into those of such a clock
/// If the kernel has a reset, resets of one to three edges interrupt the traffic. `prepare` is
/// called with the Verilated model first; `to_first_mismatch` ends the run at the first mismatch.
template <typename Top>
LockstepReport run_lockstep(
    std::uint64_t seed, std::uint64_t edges,
    const std::function<void(typename Top::Model&)>& prepare = [](auto&) {},
    bool to_first_mismatch = false) {
  constexpr int kEdgesBetweenResets = 700;
  using Both = Lockstep<Top>;
  Random random(seed);
  Both both(seed);
  prepare(both.model());
  typename Top::Stimulus stimulus;
  both.clock(stimulus.next(random), Both::kHasReset);
  for (int clock = 0; clock < Top::Stimulus::kPrimeClocks; ++clock) {
    auto in = stimulus.next(random);
    stimulus.prime(clock, in);
    both.clock(in);
  }
  both.compare_from_here();
  LockstepReport report;
  int reset_left = 0;
  for (std::uint64_t edge = 0; edge < edges; ++edge) {
    if (to_first_mismatch && both.mismatches() > 0) break;
    if (Both::kHasReset && random.below(kEdgesBetweenResets) == 0) {
      reset_left = random.between(1, 3);
    }
    report.resets += reset_left > 0;
    both.clock(stimulus.next(random), reset_left > 0);
    if (reset_left > 0) --reset_left;
  }
  report.compared_edges = both.compared_edges();
  report.mismatches = both.mismatches();
  report.fewest_changes = both.fewest_changes();
  if (both.mismatches() > 0) report.first_mismatch = both.first_mismatch().message();
  return report;
}

template <typename Top>
LockstepKernel lockstep_kernel(std::string name, std::uint64_t test_edges) {
  return {std::move(name), test_edges, Lockstep<Top>::kHasReset,
          [](std::uint64_t seed, std::uint64_t edges) { return run_lockstep<Top>(seed, edges); }};
}

}  // namespace systole::tests
