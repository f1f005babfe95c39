#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/device/device.h"
#include "host/nn/training/score.h"
#include "host/nn/training/training_graph.h"

namespace systole::lowering {
class StepProgram;
struct Quantization;
}  // namespace systole::lowering

namespace systole::nn {

/// Trains a model in whole steps on a device, several from one doorbell. Parameters and the
/// optimizer's memory stay there; read_back brings them to the host.
///
/// Numbers  docs/numerics.md section 9: the same bits for any number of steps an execution
/// Errors   graph::GraphError with the layer for a model that the device cannot run whole;
///          std::invalid_argument for a device that runs no programs
class CompiledTraining {
 public:
  struct Options {
    /// Writes the step of a batch of so many rows.
    std::function<TrainingGraph(std::int64_t rows)> write;
    std::vector<Parameter*> parameters;
    DataType precision = DataType::kBf16;
    std::int64_t steps = 1;  ///< an execution, at most
    std::uint64_t seed = 1;  ///< int8: of the rounding of gradients
  };
  CompiledTraining(const Device& device, Options options);
  ~CompiledTraining();

  std::int64_t most_steps() const { return options_.steps; }

  /// Throws if the device cannot run a step; any number of rows shows that.
  void need_lowered(std::int64_t rows) const;

  /// Builds the program for batches of so many rows, if there is none.
  void need_program(std::int64_t rows) { program_of(rows); }

  /// Which step a batch is.
  struct Place {
    std::int64_t update = 0;     ///< its number, from 1
    float rate = 0;              ///< its learning rate
    std::int64_t first_row = 0;  ///< the batch's place in one of several devices
  };

  /// A batch as it lies in the device's memory, with the random numbers and the table of its step.
  struct Prepared {
    std::int64_t rows = 0;
    Place place;
    std::vector<std::byte> feed = {};
  };

  /// Values of a batch's input: f32 or i32.
  struct Input {
    std::string name;
    const void* values = nullptr;
    std::int64_t count = 0;
  };

  /// Prepares a batch. Another thread may, one at a time, if its rows' program is built.
  Prepared prepare(std::int64_t rows, std::span<const Input> inputs, const Place& place) const;

  /// Copies a batch after those of the next execution; `rate` if it may have changed since the
  /// batch was prepared.
  ///
  /// Limits   all batches of an execution have the same number of rows
  void add(Prepared batch, std::optional<float> rate = {});

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
    TrainingGraph whole;
    std::unique_ptr<lowering::StepProgram> step;
  };
  Program& program_of(std::int64_t rows);
  std::optional<lowering::Quantization> quantization() const;
  void bring_state_to(Program& program);

  Device device_;
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
