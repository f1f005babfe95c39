#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "host/device/counters.h"
#include "host/device/device.h"
#include "host/energy/action_meter.h"
#include "host/energy/processor_energy.h"
#include "host/nn/training/callback.h"

namespace systole {

/// Measures the steps of a training, without validation and other callbacks between them.
class TrainingMeter : public nn::Callback {
 public:
  /// device_wall_seconds is the model's, and so is what it counts beside the devices; the model
  /// must outlive the meter.
  TrainingMeter(std::function<double()> device_wall_seconds, std::vector<Device> devices,
                std::function<Counters()> beside = {});

  const Counters& counters() const { return counters_; }  ///< of all devices together
  /// Of all devices together; none where they run no programs.
  std::optional<ActionCounts> actions() const {
    return meters_.empty() ? std::nullopt : std::optional(actions_);
  }
  /// What the machine's processors used in the steps; none where it does not show that.
  std::optional<double> processor_joules() const {
    return processor_.is_shown() ? std::optional(joules_) : std::nullopt;
  }
  double wall_seconds() const { return wall_seconds_; }
  double device_seconds() const { return device_seconds_; }  ///< wall time of copies and products

  /// Steps that ran together, one where products alone run on the device; in each, the time outside
  /// copies and products, and the processor time of all threads.
  struct Execution {
    double host_step_seconds = 0, processor_step_seconds = 0;
    std::int64_t steps = 1;
  };
  const std::vector<Execution>& executions() const { return executions_; }

  void on_epoch_begin(nn::FitState& state) override;
  void on_step_end(nn::FitState& state) override;

 private:
  Counters read_counters() const;
  ActionCounts read_actions() const;

  std::function<double()> device_wall_seconds_;
  std::vector<Device> devices_;
  std::function<Counters()> beside_;
  std::vector<std::unique_ptr<energy::ActionMeter>> meters_;  ///< of each device
  Counters counters_, counters_before_;
  ActionCounts actions_, actions_before_;
  double wall_seconds_ = 0, wall_seconds_before_ = 0;
  double device_seconds_ = 0, device_seconds_before_ = 0;
  double processor_seconds_before_ = 0;
  energy::ProcessorEnergy processor_;
  double joules_ = 0, joules_before_ = 0;
  std::vector<Execution> executions_;
};

}  // namespace systole
