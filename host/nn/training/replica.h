#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/nn/layers/layer.h"
#include "host/nn/losses/loss.h"
#include "host/nn/training/compiled_training.h"
#include "host/nn/training/step.h"
#include "host/nn/training/training_graph.h"

namespace systole::nn {

/// One core's copy of a model: its parameters, and for each batch size the compiled graphs of a
/// forward pass and a training step, built on first use.
///
/// Timing   every call blocks; one thread at a time
class Replica {
 public:
  struct Stage {
    std::string kind, description;
    Shape output_shape = {};
    std::vector<Parameter*> parameters = {};
  };

  /// A batch and its place in the training.
  struct Batch {
    const Tensor& inputs;
    std::span<const std::int32_t> labels;
    std::int64_t step = 0;       ///< updates so far
    std::int64_t first_row = 0;  ///< its place in the whole batch
  };

  explicit Replica(std::shared_ptr<const std::vector<Layer>> layers);

  void open(const Device& device, DataType precision, std::uint64_t seed);
  void build(const Shape& input_shape, std::uint64_t seed);

  const Tensor& forward(const Tensor& inputs);

  /// Computes the parameters' gradients, and makes the layers' own updates.
  Score gradients(const Batch& batch, const Loss& loss);

  /// From now on, gradients() is one program of the device for each batch: forward pass, loss and
  /// backward pass.
  ///
  /// Errors   graph::GraphError with the layer for a model that the device cannot run whole
  void run_gradients_whole(const Loss& loss);
  /// Of the last whole gradients: what was copied to the device as its batch.
  std::int64_t fed_bytes() const { return whole_ ? whole_->fed_bytes() : 0; }

  /// The whole step of a batch of `rows`, with the optimizer's update, as one graph.
  TrainingGraph training_graph(std::int64_t rows, const Loss& loss, const Optimizer& optimizer,
                               std::optional<float> clip_norm);

  /// Repeats the step and says where it goes wrong: "the output of layer 2 (Conv2D) is not finite"
  /// for the first such layer; else "the gradient of ..." for the last layer that receives or makes
  /// one that is not finite; empty if all are finite.
  std::string first_not_finite(const Batch& batch, const Loss& loss);

  const std::vector<Stage>& stages() const { return stages_; }
  std::span<Parameter* const> parameters() const { return parameter_list_; }  ///< first layer first
  Multiplier& multiplier() const { return *multiplier_; }

 private:
  std::string scope_of(std::size_t layer) const;  ///< "1.dense"
  Value write(Builder& builder, std::int64_t rows, std::vector<Value>* outputs);
  struct Written {
    std::vector<Value> layers;  ///< their outputs
    Value loss, accuracy;
  };
  Written write_step(Builder& builder, std::int64_t rows, const Loss& loss);
  std::unique_ptr<Step> make_step(std::int64_t rows, const Loss& loss, bool traces_layers);
  Score gradients_whole(const Batch& batch);

  std::shared_ptr<const std::vector<Layer>> layers_;
  Shape input_shape_;
  std::uint64_t seed_ = 0;
  std::uint64_t rounding_seed_ = 0;
  std::deque<Parameter> parameters_;
  std::vector<Parameter*> parameter_list_;
  std::vector<Stage> stages_;
  std::unique_ptr<Multiplier> multiplier_;
  std::map<std::int64_t, std::unique_ptr<Program>> forward_;  ///< by rows
  std::map<std::int64_t, std::unique_ptr<Step>> steps_;
  std::shared_ptr<CompiledTraining> whole_;  ///< null: products alone run on the device
  Tensor outputs_;
};

}  // namespace systole::nn
