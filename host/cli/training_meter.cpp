#include "host/cli/training_meter.h"

#include <algorithm>

namespace systole {

Counters TrainingMeter::read_counters() const {
  Counters sum = beside_ ? beside_() : Counters{};
  for (const Device& device : devices_) sum += device.counters();
  return sum;
}

void TrainingMeter::on_epoch_begin(nn::FitState& state) {
  counters_before_ = read_counters();
  device_seconds_before_ = device_wall_seconds_();
  wall_seconds_before_ = state.progress.seconds;
}

void TrainingMeter::on_step_end(nn::FitState& state) {
  const Counters counters = read_counters();
  counters_ += counters - counters_before_;
  counters_before_ = counters;
  const double on_device = device_wall_seconds_() - device_seconds_before_;
  device_seconds_ += on_device;
  device_seconds_before_ = device_wall_seconds_();
  wall_seconds_ += state.progress.seconds - wall_seconds_before_;
  // The step itself: the wall time also includes callbacks since the previous step. Steps of one
  // execution share its times.
  const std::int64_t steps = state.progress.together;
  const double device_share = on_device / static_cast<double>(steps);
  executions_.push_back(
      {.host_step_seconds = std::max(0.0, state.history.step_seconds.back() - device_share),
       .steps = steps});
  wall_seconds_before_ = state.progress.seconds;
}

}  // namespace systole
