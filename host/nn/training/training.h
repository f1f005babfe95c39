#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/data/dataset.h"
#include "host/device/device.h"
#include "host/nn/losses/loss.h"
#include "host/nn/numbers/shape.h"
#include "host/nn/optimizers/optimizer.h"
#include "host/nn/optimizers/schedule.h"
#include "host/nn/training/augmentation.h"

namespace systole::nn {

class Callback;
class Checkpoint;

/// The run cannot continue: its loss is no longer a number.
class TrainingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The arguments of compile.
struct CompileOptions {
  Loss loss = {};
  Optimizer optimizer = Adam{};
  Schedule schedule = {};                  ///< of the optimizer's learning rate, step by step
  std::optional<float> clip_norm = {};     ///< limit of the gradients' global norm; > 0
  std::optional<Device> device = {};       ///< none for a model of a strategy's scope
  std::optional<DataType> precision = {};  ///< default: fp32 on cpu, bf16 on every other device
  std::int64_t steps_per_execution = 1;    ///< steps of a launch, at most
  Shape input_shape = {};                  ///< default: taken from the first data
  std::uint64_t seed = 1;                  ///< of the initial weights
};

/// A run's state after a step; loss and accuracy are means over the epoch so far, as in Keras.
struct Progress {
  std::int64_t epoch = 0, epochs = 0;  ///< epoch counts from 1
  std::int64_t step = 0, steps = 0;    ///< of this epoch, from 1
  double loss = 0;
  double accuracy = 0;
  double step_loss = 0;       ///< of this step alone
  double seconds = 0;         ///< since the epoch began
  std::int64_t together = 1;  ///< steps of the launch that ended with this step
};

/// Options of fit, by Keras' names.
///
/// Limits   counts >= 1; initial_epoch >= 0: that many epochs count as done and do not run
struct FitOptions {
  std::int64_t epochs = 1;
  std::int64_t batch_size = 128;
  std::optional<std::int64_t> steps_per_epoch = {};  ///< default: all of the data, once
  const Dataset* validation_data = nullptr;          ///< evaluated between epochs
  std::int64_t validation_freq = 1;                  ///< after every so many epochs
  std::int64_t initial_epoch = 0;
  std::uint64_t seed = 1;          ///< of the order of the samples, and of augmentation
  Augmentation augmentation = {};  ///< of the samples that are trained with
  std::vector<Callback*> callbacks = {};
  std::function<void(const Progress&)> on_step = {};
  const Checkpoint* resume = nullptr;  ///< resume from here; see host/nn/training/checkpoint.h

  /// Further properties that a resumed run must share with its checkpoint, such as {"model",
  /// "mnist-mlp"}.
  std::map<std::string, std::string> identity = {};
};

struct EvaluateOptions {
  std::int64_t batch_size = 128;
};

/// A run's losses and epochs; a resumed run includes those from before.
struct History {
  struct Epoch {
    double loss = 0;
    double accuracy = 0;
    double seconds = 0;        ///< wall time of its steps, measured
    double learning_rate = 0;  ///< of its last step
    std::optional<Score> validation = {};
  };
  std::vector<double> losses;         ///< one per step
  std::vector<double> step_seconds;   ///< wall time of each step of this run, measured
  std::vector<double> input_seconds;  ///< of each batch, gathered on a thread of its own, measured
  std::vector<Epoch> epochs;
  std::string stopped;  ///< why a callback ended the training; empty: all epochs ran
};

}  // namespace systole::nn
