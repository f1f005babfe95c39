#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "host/driver/device.h"
#include "host/nn/losses/loss.h"
#include "host/nn/numbers/tensor.h"
#include "host/nn/training/replica.h"

namespace systole::lowering {
class StepProgram;
}

namespace systole::nn {

/// Trains a replica's model in whole steps on its device, several from one doorbell. Parameters and
/// the optimizer's memory stay there; read_back brings them to the host.
///
/// Numbers  docs/numerics.md section 9: the same bits for any number of steps an execution
/// Errors   graph::GraphError from the constructor for a model that the device cannot run whole,
/// with
///          the layer; std::invalid_argument for a device that runs no programs
class WholeSteps {
 public:
  struct Options {
    Loss loss;
    Optimizer optimizer;
    std::optional<float> clip_norm;
    std::int64_t steps = 1;  ///< an execution, at most
  };
  WholeSteps(const Device& device, Replica& replica, const Options& options);
  ~WholeSteps();

  std::int64_t most_steps() const { return options_.steps; }

  /// Builds the program for batches of so many rows, if there is none.
  void need_program(std::int64_t rows) { program_of(rows); }

  /// A batch as it lies in the device's memory, with the random numbers of its step.
  struct Prepared {
    std::int64_t rows = 0, update = 0;
    std::vector<std::byte> feed = {};
  };

  /// Prepares a batch for update number `update`, from 1. Another thread may, one at a time, if its
  /// rows' program is built.
  ///
  /// Errors   std::invalid_argument for labels that are not the model's classes
  Prepared prepare(const Tensor& inputs, std::span<const std::int32_t> labels,
                   std::int64_t update) const;

  /// Copies a batch, with its learning rate, after those of the next execution.
  ///
  /// Limits   all batches of an execution have the same number of rows
  void add(Prepared batch, float rate);

  /// Runs the batches that were added.
  std::vector<Score> run();
  /// Wall time of the last execution's copies to the device and of its program there.
  double device_seconds() const { return device_seconds_; }
  /// Of a step of the last execution: what was copied to the device.
  std::int64_t fed_bytes() const { return fed_bytes_; }

  /// Brings parameters and slots up to date on the host.
  void read_back();

 private:
  struct Program {
    WholeStep whole;
    std::unique_ptr<lowering::StepProgram> step;
  };
  Program& program_of(std::int64_t rows);
  void bring_state_to(Program& program);

  Device device_;
  Replica& replica_;
  Options options_;
  std::map<std::int64_t, Program> programs_;  ///< by rows
  Program* newest_ = nullptr;                 ///< whose state is the model's
  bool is_ahead_ = false;                     ///< of the host's copy
  std::vector<std::uint64_t> versions_;       ///< of the parameters in newest_
  Program* next_ = nullptr;
  std::int64_t waiting_ = 0;
  double copy_seconds_ = 0, device_seconds_ = 0;
  std::int64_t fed_bytes_ = 0;
};

}  // namespace systole::nn
