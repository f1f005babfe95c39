#pragma once

#include <chrono>

#include "host/driver/counters.h"
#include "host/driver/device.h"
#include "host/nn/callback.h"
#include "host/nn/sequential.h"

namespace systole {

/// What the steps of a training take, without the validation between its epochs and without what
/// other callbacks do there.
class TrainingMeter : public nn::Callback {
 public:
  TrainingMeter(const nn::Sequential& model, const Device& device)
      : model_(model), device_(device) {}

  const Counters& counters() const { return counters_; }
  double wall_seconds() const { return wall_seconds_; }
  double device_seconds() const { return device_seconds_; }  ///< wall time of copies and products

  void on_epoch_begin(nn::FitState& state) override;
  void on_step_end(nn::FitState& state) override;

 private:
  const nn::Sequential& model_;
  Device device_;
  Counters counters_, counters_before_;
  double wall_seconds_ = 0, wall_seconds_before_ = 0;
  double device_seconds_ = 0, device_seconds_before_ = 0;
};

}  // namespace systole
