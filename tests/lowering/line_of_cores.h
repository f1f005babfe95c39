#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/compiler/program/step_program.h"
#include "host/device/device_memory.h"
#include "host/nn/training/replica.h"
#include "sim/device/interpreted_line.h"

namespace systole::tests {

/// Samples with their labels.
struct Samples {
  nn::Tensor inputs;
  std::vector<std::int32_t> labels;
};
Samples random_samples(std::uint64_t seed, std::int64_t rows, std::int64_t size,
                       std::int64_t classes);

/// A core of a line: its memory, and its program of a step with the update in it.
struct LineCore {
  LineCore(const std::vector<nn::Layer>& layers, const nn::Shape& input,
           const nn::Optimizer& optimizer, const nn::CoreRows& rows, const DeviceSizes& sizes,
           std::int64_t most_steps, Memory& memory);

  nn::CoreRows rows;
  nn::Replica replica;
  nn::TrainingGraph graph;
  lowering::StepProgram step;
};

/// Cores that share each batch of `rows` samples. Their programs lie in memories of their own, or
/// in those of a line of devices.
class LineOfCores {
 public:
  LineOfCores(const std::vector<nn::Layer>& layers, const nn::Shape& input, std::int64_t rows,
              int cores, const nn::Optimizer& optimizer, const DeviceSizes& sizes,
              std::int64_t most_steps = 1, const std::vector<Memory*>& memories = {});

  /// Puts a batch into the memories, for a step of the next launch; updates count from 1.
  void feed(const Samples& batch, std::int64_t update, std::int64_t step = 0);
  /// Of so many steps each. Throws where cores would wait for each other.
  std::vector<PlacedProgram> programs(std::int64_t steps = 1);
  /// Runs all programs of so many steps together, command by command, in own memories; each core's
  /// fault.
  std::vector<ProgramFault> interpret(std::int64_t steps = 1);

  const std::vector<std::unique_ptr<LineCore>>& cores() const { return cores_; }
  /// Parameters and slots of a core, by input; what cores share, from each.
  std::map<std::string, std::vector<float>> states(std::size_t core) const;
  float result(std::size_t core, const std::string& output) const {
    return cores_[core]->step.result(0, output);
  }

 private:
  std::vector<std::unique_ptr<DeviceMemory>> memories_;  ///< its own
  std::vector<std::unique_ptr<LineCore>> cores_;
  float rate_;
  int lanes_;
};

}  // namespace systole::tests
