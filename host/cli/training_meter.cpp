#include "host/cli/training_meter.h"

#include <algorithm>
#include <ctime>

#include "host/device/backend.h"

namespace systole {
namespace {

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

TrainingMeter::TrainingMeter(std::function<double()> device_wall_seconds,
                             std::vector<Device> devices, std::function<Counters()> beside)
    : device_wall_seconds_(std::move(device_wall_seconds)),
      devices_(std::move(devices)),
      beside_(std::move(beside)) {
  for (const Device& device : devices_) {
    if (device.backend().sizes()) {
      meters_.push_back(std::make_unique<energy::ActionMeter>(device.backend()));
    }
  }
}

ActionCounts TrainingMeter::read_actions() const {
  ActionCounts sum;
  for (const auto& meter : meters_) sum += meter->counts();
  return sum;
}

Counters TrainingMeter::read_counters() const {
  Counters sum = beside_ ? beside_() : Counters{};
  for (const Device& device : devices_) sum += device.counters();
  return sum;
}

void TrainingMeter::on_epoch_begin(nn::FitState& state) {
  counters_before_ = read_counters();
  actions_before_ = read_actions();
  device_seconds_before_ = device_wall_seconds_();
  wall_seconds_before_ = state.progress.seconds;
  joules_before_ = processor_.joules();
  processor_seconds_before_ = processor_seconds();
}

void TrainingMeter::on_step_end(nn::FitState& state) {
  const Counters counters = read_counters();
  counters_ += counters - counters_before_;
  counters_before_ = counters;
  const ActionCounts actions = read_actions();
  actions_ += actions - actions_before_;
  actions_before_ = actions;
  const double joules = processor_.joules();
  joules_ += joules - joules_before_;
  joules_before_ = joules;
  const double on_device = device_wall_seconds_() - device_seconds_before_;
  device_seconds_ += on_device;
  device_seconds_before_ = device_wall_seconds_();
  wall_seconds_ += state.progress.seconds - wall_seconds_before_;
  // The step itself: the wall time also includes callbacks since the previous step. Steps of one
  // execution share its times.
  const std::int64_t steps = state.progress.together;
  const double device_share = on_device / static_cast<double>(steps);
  const double processor = processor_seconds();
  executions_.push_back(
      {.host_step_seconds = std::max(0.0, state.history.step_seconds.back() - device_share),
       .processor_step_seconds =
           (processor - processor_seconds_before_) / static_cast<double>(steps),
       .steps = steps});
  processor_seconds_before_ = processor;
  wall_seconds_before_ = state.progress.seconds;
}

}  // namespace systole
