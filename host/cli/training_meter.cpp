#include "host/cli/training_meter.h"

namespace systole {

Counters TrainingMeter::read_counters() const {
  Counters sum;
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
  device_seconds_ += device_wall_seconds_() - device_seconds_before_;
  device_seconds_before_ = device_wall_seconds_();
  wall_seconds_ += state.progress.seconds - wall_seconds_before_;
  wall_seconds_before_ = state.progress.seconds;
}

}  // namespace systole
