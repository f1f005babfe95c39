#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "host/nn/optimizers/optimizer.h"
#include "host/nn/training/step_runner.h"

namespace systole::nn {

/// Updates all trained parameters from gradients that are on the host: clipping, then the
/// optimizer, as one graph on a device. On cores that do not run together the update is such a
/// step.
///
/// Numbers  those of a step on the device; the global norm is the root of the sum of all gradients'
///          squares
class UpdateSteps {
 public:
  /// rate: the learning rate of this update, which counts from 1. Leaves the gradients unchanged.
  void run(std::span<Parameter* const> parameters, const Optimizer& optimizer,
           std::optional<float> clip_norm, float rate, std::int64_t update, const Device& device);

  /// Drops the graph, so that another optimizer or device can be used.
  void reset() { runner_.reset(); }

  double device_seconds() const { return runner_ ? runner_->device_seconds() : 0; }

 private:
  void write(const Optimizer& optimizer, std::optional<float> clip_norm, const Device& device);

  std::vector<Parameter*> trained_;
  TrainingGraph step_;
  std::unique_ptr<StepRunner> runner_;
};

}  // namespace systole::nn
