#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/nn/layers/layer.h"
#include "host/nn/losses/loss.h"
#include "host/nn/training/compiled_training.h"

namespace systole::nn {

/// The labels that belong to a sample's output: [steps, classes] has one for each step, any other
/// output one.
struct OutputLabels {
  std::int64_t count = 1, classes = 0;
};
OutputLabels labels_of(const Shape& output);

/// One core's copy of a model: its parameters, and the steps compiled for its device on first use.
///
/// Timing   every call blocks; one thread at a time
class Replica {
 public:
  struct Stage {
    std::string kind, description;
    Shape output_shape = {};
    std::vector<Parameter*> parameters = {};
  };

  /// What steps are compiled with.
  struct Settings {
    Device device;
    DataType precision = DataType::kBf16;
    Loss loss = {};
    Optimizer optimizer = {};
    std::optional<float> clip_norm = {};
    std::int64_t steps = 1;           ///< of a launch
    std::uint64_t rounding_seed = 1;  ///< int8
    int core = 0, cores = 1;          ///< of those that run training() together
  };

  /// Samples and their labels, and their place in the training.
  struct Batch {
    std::int64_t rows = 0;
    std::int64_t all_rows = 0;  ///< of all cores that share it, where they run together
    const float* inputs = nullptr;
    std::span<const std::int32_t> labels = {};
    StepScalars scalars = {};
  };

  explicit Replica(std::shared_ptr<const std::vector<Layer>> layers);

  /// Errors   std::invalid_argument for a device that does not run steps in this precision
  void open(const Settings& settings);
  void build(const Shape& input_shape, std::uint64_t seed);

  /// Steps that also update the parameters, on all cores together where there are several, and
  /// steps of this core that leave gradients on the host. The shape of a batch is its rows; where
  /// cores run together, this core's rows and all rows.
  CompiledTraining& training() const { return *training_; }
  CompiledTraining& gradients() const { return *gradients_; }
  CompiledTraining::Prepared prepare(const CompiledTraining& steps, const Batch& batch) const;

  /// Runs the prepared step of gradients(), which also makes the layers' own updates.
  Score run_gradients(CompiledTraining::Prepared batch);
  Score evaluate(const Batch& batch);
  /// The last layer's outputs, until the next call.
  const Tensor& forward(const Batch& batch);

  /// The graph of a step with the optimizer's update; of several cores, that of `core`. A core
  /// without rows has inputs of one row, which nothing reads.
  TrainingGraph training_graph(std::int64_t rows, const Loss& loss, const Optimizer& optimizer,
                               std::optional<float> clip_norm, const CoreRows& core = {});

  /// Repeats the step in fp32 on this processor, with the host's parameters, and says where it goes
  /// wrong: "the output of layer 2 (Conv2D) is not finite" for the first such layer; else "the
  /// gradient of ..." for the last layer that receives or makes one that is not finite; empty if
  /// all are finite.
  std::string first_not_finite(const Batch& batch);

  /// Brings the parameters up to date on the host; forget drops what steps left on the device.
  void read_back() const {
    if (training_) training_->read_back();
  }
  void forget() const { training_->forget(); }

  const std::vector<Stage>& stages() const { return stages_; }
  std::span<Parameter* const> parameters() const { return parameter_list_; }  ///< first layer first
  const Settings& settings() const { return *settings_; }

  double device_seconds() const;
  Counters processor_products() const;

 private:
  struct Written {
    std::vector<Value> layers;  ///< their outputs
    Value loss, accuracy;
  };
  std::string scope_of(std::size_t layer) const;  ///< "1.dense"
  Value write(Builder& builder, std::int64_t rows, std::vector<Value>* outputs);
  Written write_step(Builder& builder, std::int64_t rows, const Loss& loss);
  TrainingGraph gradient_graph(std::int64_t rows, bool traces_layers);
  template <typename Write>
  std::unique_ptr<CompiledTraining> compiled(const Write& write, std::int64_t steps = 1);
  void add(CompiledTraining& steps, const Batch& batch);
  std::vector<const CompiledTraining*> all() const;

  std::shared_ptr<const std::vector<Layer>> layers_;
  Shape input_shape_;
  std::uint64_t seed_ = 0;
  std::deque<Parameter> parameters_;
  std::vector<Parameter*> parameter_list_;
  std::vector<Stage> stages_;
  std::optional<Settings> settings_;
  std::unique_ptr<CompiledTraining> training_, gradients_, evaluation_, prediction_;
  Tensor outputs_;
};

}  // namespace systole::nn
