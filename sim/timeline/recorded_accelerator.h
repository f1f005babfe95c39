#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "sim/device/native_accelerator.h"
#include "sim/timeline/activity.h"

namespace systole::sim {

/// The accelerator's control as a SimulatedDevice that shows every clock to an observer.
template <int kSize, int kBusBytes = kSize>
class RecordedAccelerator {
 public:
  static constexpr int kN = kSize;
  static constexpr int kBus = kBusBytes;
  static constexpr bool kData = false;

  explicit RecordedAccelerator(ActivityObserver observe) : observe_(std::move(observe)) {}

  void reset() { unit_.reset(); }
  void show(FromDevice& from) const { unit_.show(from); }

  void clock(const ToDevice& to) {
    const auto now = unit_.unit().activity();
    unit_.clock(to);
    Activity activity{.fetching = static_cast<bool>(now.fetching),
                      .handed_on = command(now.handed_on),
                      .load = engine(now.load, now.load_idle),
                      .compute = engine(now.compute, now.compute_idle),
                      .store = engine(now.store, now.store_idle),
                      .vector = engine(now.vector, now.vector_idle)};
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const std::uint64_t count = unit_.unit().counter(static_cast<int>(i)).value();
      // A reset clears counters; otherwise each advances by 1 or not at all.
      if (count == counts_[i] + 1) activity.counting |= std::uint32_t{1} << i;
      counts_[i] = count;
    }
    observe_(activity, clock_++);
  }

 private:
  static Activity::Command command(const kernels::Beat<kernels::Command>& beat) {
    const auto bits = beat.data.word.raw();
    return {.taken = static_cast<bool>(beat.valid),
            .index = static_cast<std::uint32_t>(beat.data.index.value()),
            .word = {.low = static_cast<std::uint64_t>(bits),
                     .high = static_cast<std::uint64_t>(bits >> 64)}};
  }
  static Activity::Engine engine(const kernels::Beat<kernels::Command>& taken,
                                 const kernels::UInt1& idle) {
    return {.command = command(taken), .idle = static_cast<bool>(idle)};
  }

  ControlAccelerator<kN, kBus> unit_;
  ActivityObserver observe_;
  std::array<std::uint64_t, device::kCounters> counts_{};
  std::uint64_t clock_ = 0;
};

}  // namespace systole::sim
