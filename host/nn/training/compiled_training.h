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
#include "host/nn/losses/score.h"
#include "host/nn/training/step_runner.h"
#include "host/nn/training/training_graph.h"

namespace systole::nn {

/// Runs a model's steps on a device, several in a launch, compiled for each shape of a batch.
/// Parameters and the optimizer's memory stay there; read_back brings them to the host. The steps
/// may also be of an evaluation or a prediction, whose graphs update no parameter.
///
/// Numbers  as StepRunner
/// Errors   as StepRunner
class CompiledTraining {
 public:
  using Input = StepRunner::Input;

  struct Options {
    /// Writes the step of a batch of this shape: its rows, and what else the model's batches have.
    std::function<TrainingGraph(const Shape& batch)> write;
    std::vector<Parameter*> parameters;
    DataType precision = DataType::kBf16;
    std::int64_t steps = 1;  ///< of a launch, at most
    std::uint64_t seed = 1;  ///< int8: of the rounding of gradients
    int core = 0;            ///< that runs the steps, where their graphs add values of several
  };
  CompiledTraining(const Device& device, Options options);

  std::int64_t most_steps() const { return options_.steps; }

  /// Compiles the program for batches of this shape, if there is none.
  void need_program(const Shape& batch) { program_of(batch); }

  /// A batch as it lies in the device's memory, with what its step takes besides.
  struct Prepared {
    Shape batch;
    StepScalars scalars;
    StepRunner::Feed feed = {};
  };

  /// Prepares a batch. Another thread may, one at a time, if its shape's program is compiled.
  Prepared prepare(const Shape& batch, std::span<const Input> inputs,
                   const StepScalars& scalars) const;

  /// Copies a batch after those of the next launch; `rate` if it may have changed since the batch
  /// was prepared.
  ///
  /// Limits   all batches of a launch have the same shape
  void add(Prepared batch, std::optional<float> rate = {});

  /// Runs the batches that were added; scores are those of graphs that have a loss.
  std::vector<Score> run();

  /// run in two parts, for a core that runs its program together with others in between.
  PlacedProgram start();
  std::vector<Score> finish();

  /// An output of the last step.
  void read_output(const std::string& name, std::span<float> values) const;

  /// Brings parameters, slots and gradients up to date on the host; of what cores share, the
  /// columns of this one.
  void read_back();
  bool is_ahead() const { return is_ahead_; }  ///< of the host
  /// States of which only some columns are this core's.
  struct Shared {
    std::size_t parameter = 0;
    int slot = 0;  ///< TrainingGraph::State's
    lowering::SharedColumns columns;
  };
  std::vector<Shared> shared() const;
  /// Drops what steps left on the device since the last read_back.
  void forget() {
    newest_ = nullptr;
    is_ahead_ = false;
  }

  /// Wall time on the device so far; see StepRunner.
  double device_seconds() const;
  /// Of a step of the last launch: what was copied to the device.
  std::int64_t fed_bytes() const { return next_ == nullptr ? 0 : next_->runner->fed_bytes(); }
  Counters processor_products() const;

 private:
  struct Program {
    TrainingGraph graph;
    std::unique_ptr<StepRunner> runner;
    bool has_score = false;
  };
  Program& program_of(const Shape& batch);
  void need_same_columns(const Program& program) const;
  void bring_state_to(Program& program);
  std::int64_t begin();
  std::vector<std::uint64_t> versions() const;

  Device device_;
  Options options_;
  std::map<Shape, Program> programs_;    ///< by the shape of a batch
  Program* newest_ = nullptr;            ///< whose state is the model's
  bool is_ahead_ = false;                ///< of the host's copy
  std::vector<std::uint64_t> versions_;  ///< of the parameters in newest_
  Program* next_ = nullptr;
  std::int64_t waiting_ = 0, launched_ = 0;  ///< steps
};

/// Sums over a model's kinds of steps.
double device_seconds(std::span<const CompiledTraining* const> all);
Counters processor_products(std::span<const CompiledTraining* const> all);

}  // namespace systole::nn
