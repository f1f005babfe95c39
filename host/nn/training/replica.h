#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/nn/layers/layer.h"
#include "host/nn/losses/loss.h"
#include "host/nn/training/step.h"

namespace systole::nn {

/// One core's copy of a model: its parameters, and the graphs that its layers write, one of a
/// forward pass and one of a step for each size of batch, each on its first use.
///
/// Timing   every call blocks; one thread at a time
class Replica {
 public:
  struct Stage {
    std::string kind, description;
    Shape output_shape = {};
    std::vector<Parameter*> parameters = {};
  };

  /// A batch, and where it stands in the training.
  struct Batch {
    const Tensor& inputs;
    std::span<const std::int32_t> labels;
    std::int64_t step = 0;       ///< updates before it
    std::int64_t first_row = 0;  ///< where it begins in the whole batch, when that is shared out
  };

  explicit Replica(std::shared_ptr<const std::vector<Layer>> layers);

  void open(const Device& device, DataType precision, std::uint64_t seed);
  void build(const Shape& input_shape, std::uint64_t seed);

  const Tensor& forward(const Tensor& inputs);

  /// Into the parameters' gradients; what layers update themselves is updated.
  Score gradients(const Batch& batch, const Loss& loss);

  /// Where the step of this batch goes wrong, in words: "the output of layer 2 (Conv2D) is not
  /// finite" for the first layer whose output is not; else the same of "the gradient", for the last
  /// layer that gets one which is not finite or makes one; empty if all are finite.
  std::string first_not_finite(const Batch& batch, const Loss& loss);

  const std::vector<Stage>& stages() const { return stages_; }
  std::span<Parameter* const> parameters() const { return parameter_list_; }  ///< first layer first
  const Multiplier& multiplier() const { return *multiplier_; }

 private:
  std::string scope_of(std::size_t layer) const;  ///< "1.dense"
  Value write(Builder& builder, std::int64_t rows, std::vector<Value>* outputs);
  std::unique_ptr<Step> make_step(std::int64_t rows, const Loss& loss, bool traces_layers);

  std::shared_ptr<const std::vector<Layer>> layers_;
  Shape input_shape_;
  std::uint64_t seed_ = 0;
  std::deque<Parameter> parameters_;
  std::vector<Parameter*> parameter_list_;
  std::vector<Stage> stages_;
  std::unique_ptr<Multiplier> multiplier_;
  std::map<std::int64_t, std::unique_ptr<Program>> forward_;  ///< by rows
  std::map<std::int64_t, std::unique_ptr<Step>> steps_;
  Tensor outputs_;
};

}  // namespace systole::nn
