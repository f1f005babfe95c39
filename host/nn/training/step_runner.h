#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/compiler/units/shared_columns.h"
#include "host/device/device.h"
#include "host/device/program_device.h"
#include "host/nn/layers/step_scalars.h"
#include "host/nn/training/training_graph.h"

namespace systole::nn {

/// fp32 on cpu, bf16 on every other device.
DataType default_precision(const Device& device);

/// Throws std::invalid_argument unless the device runs steps in this precision.
void need_precision(const Device& device, DataType precision);

/// A device that runs a step's graph: a compiled program, and the memory that holds its state and
/// the batches of a launch. On cpu the same graph runs on this processor; on pjrt its plugin
/// compiles it.
///
/// Numbers  docs/numerics.md section 9 on a device, fp32 on cpu; the same bits for any number of
///          steps a launch; on pjrt as pjrt_steps.h
/// Errors   graph::GraphError with the layer for a graph that the device cannot run; DeviceError
///          from the device; std::invalid_argument for names and sizes that are not the graph's
class StepRunner {
 public:
  /// A batch and its scalars as they lie in the device's memory.
  using Feed = std::vector<std::byte>;

  /// Values of a batch's input: f32 or i32.
  struct Input {
    std::string name;
    const void* values = nullptr;
    std::int64_t count = 0;
  };

  struct Options {
    DataType precision = DataType::kBf16;
    std::int64_t most_steps = 1;  ///< of a launch
    std::uint64_t seed = 1;       ///< int8: of the rounding of gradients
    int core = 0;                 ///< that runs it, where the graph adds values of several
  };

  /// Compiles the graph, which must outlive the result.
  static std::unique_ptr<StepRunner> compile(const TrainingGraph& graph, const Device& device,
                                             const Options& options);
  virtual ~StepRunner() = default;

  virtual void write_state(const std::string& input, std::span<const float> values) = 0;
  virtual void read_state(const std::string& input, std::span<float> values) const = 0;

  /// The columns of a state that are this core's, where cores share it.
  virtual lowering::SharedColumns shared(const std::string&) const { return {}; }

  /// Prepares a batch. One other thread may, while a launch runs.
  virtual Feed prepare(std::span<const Input> inputs, const StepScalars& scalars) const = 0;
  /// Replaces the scalars of a batch that was prepared with another learning rate.
  virtual void set_rate(Feed& feed, const StepScalars& scalars) const = 0;

  /// Copies a batch to step `step` of the next launch.
  virtual void write(std::int64_t step, Feed feed) = 0;
  virtual void run(std::int64_t steps) = 0;
  /// What run would run, for a core that runs it together with others.
  ///
  /// Errors   std::logic_error for a runner without programs
  virtual PlacedProgram program(std::int64_t steps);

  /// An f32 output of a step that has run. What updates a state is read there.
  virtual void read_output(std::int64_t step, const std::string& output,
                           std::span<float> values) const = 0;

  /// Wall time on the device so far: copies of batches and launches; on cpu, products.
  virtual double device_seconds() const = 0;
  /// Bytes of a batch that go over the device's link; 0 where device_seconds has that time.
  virtual std::int64_t fed_bytes() const = 0;
  /// Products and multiply-adds so far that no device counts: those of cpu and pjrt.
  virtual Counters processor_products() const = 0;
};

}  // namespace systole::nn
