#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <variant>
#include <vector>

#include "host/driver/device.h"
#include "host/nn/adam.h"
#include "host/nn/sgd.h"
#include "host/nn/shape.h"
#include "host/nn/softmax_cross_entropy.h"

namespace systole::nn {

using Optimizer = std::variant<Sgd, Adam>;

/// A run that cannot go on: its loss is not a number any more.
class TrainingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What compile needs besides the layers.
struct CompileOptions {
  SoftmaxCrossEntropy loss = {};
  Optimizer optimizer = Adam{};
  Device device;
  std::optional<DataType> precision = {};  ///< default: fp32 on cpu, bf16 on every other device
  Shape input_shape = {};                  ///< default: taken from the first data
  std::uint64_t seed = 1;                  ///< of the initial weights
};

/// Where a run stands after a step; loss and accuracy are means over the epoch so far, as in Keras.
struct Progress {
  std::int64_t epoch = 0, epochs = 0;  ///< epoch counts from 1
  std::int64_t step = 0, steps = 0;    ///< of this epoch, from 1
  double loss = 0;
  double accuracy = 0;
  double step_loss = 0;  ///< of this step alone
  double seconds = 0;    ///< since the epoch began
};

struct FitOptions {
  std::int64_t epochs = 1;
  std::int64_t batch_size = 128;
  std::optional<std::int64_t> steps_per_epoch = {};  ///< default: all of the data, once
  std::uint64_t seed = 1;                            ///< of the order of the samples
  std::function<void(const Progress&)> on_step = {};
};

struct EvaluateOptions {
  std::int64_t batch_size = 128;
};

/// What fit has seen.
struct History {
  struct Epoch {
    double loss = 0;
    double accuracy = 0;
    double seconds = 0;
  };
  std::vector<double> losses;        ///< one per step
  std::vector<double> step_seconds;  ///< wall time of each step, measured
  std::vector<Epoch> epochs;
};

}  // namespace systole::nn
