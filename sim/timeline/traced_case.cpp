#include "sim/timeline/traced_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <stdexcept>

#include "sim/timeline/case_observer.h"
#include "sim/timeline/recorded_devices.h"
#include "sim/verilator/traced_devices.h"

namespace systole::sim {
namespace {

using verify::Case;

/// No monitors: they reported the first time, and would only stop the rerun here.
HarnessOptions watched(const Case& which) {
  HarnessOptions options = which.harness;
  options.monitors = false;
  return options;
}

CaseObserver observe(const Case& which, std::optional<std::uint32_t> command = {}) {
  CaseObserver observer(command);
  // Without data the comparison finds differences, which are ignored: the clocks are the case's.
  check(which, [&](const Case& replayed, DeviceMemory& memory) {
    return make_recorded_device(
        replayed.array_size, memory, replayed.behaviour, watched(replayed),
        [&](const Activity& activity, std::uint64_t clock) { observer.clock(activity, clock); });
  });
  return observer;
}

TraceWindow choose(const Case& which, const TracedClocks& clocks) {
  const CaseObserver observer = observe(which, clocks.command);
  if (clocks.command) {
    const auto [first, last] = observer.of_command();
    return {.file = {}, .first = first, .last = last};
  }
  const std::uint64_t first = clocks.first.value_or(0);
  const std::uint64_t last = std::min(clocks.last.value_or(observer.end()), observer.end());
  if (first <= last) return {.file = {}, .first = first, .last = last, .gaps = clocks.gaps};
  throw std::invalid_argument(fmt::format(
      "clocks from {} on cannot be traced: the case ends in clock {}", first, observer.end()));
}

void write_case(const Case& which, const TraceWindow& window) {
  // `check` takes a device's exceptions for differences; a file that cannot be written is not one.
  std::exception_ptr failure;
  check(which, [&](const Case& traced, DeviceMemory& memory) {
    try {
      return make_traced_device(traced.array_size, memory, window, traced.behaviour,
                                watched(traced));
    } catch (...) {
      failure = std::current_exception();
      throw;
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

TraceWindow trace_case(const Case& which, const TracedClocks& clocks, const std::string& file) {
  require_traceable(which.array_size, which.behaviour.bus_bytes);
  TraceWindow window = choose(which, clocks);
  window.file = file;
  write_case(which, window);
  return window;
}

TraceWindow trace_difference(const Case& which, const verify::Difference& difference,
                             const std::string& file) {
  require_traceable(which.array_size, which.behaviour.bus_bytes);
  const std::uint64_t last_work = observe(which).last_work(difference.clock);
  const std::uint64_t last = std::min(difference.clock, last_work + kClocksBeforeFailure / 2);
  const TraceWindow window{
      .file = file, .first = last - std::min(last, kClocksBeforeFailure), .last = last};
  write_case(which, window);
  return window;
}

}  // namespace systole::sim
