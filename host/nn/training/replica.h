#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/nn/layers/layer.h"

namespace systole::nn {

/// One core's copy of a model: its layers, the tensors between them, and the way to its device.
///
/// Timing   every call blocks; one thread at a time. Tensors between layers that both know the
///          device stay there: a step of dense layers is two programs, before the loss and after
class Replica {
 public:
  struct Stage {
    std::unique_ptr<Layer> layer;
    Shape output_shape = {};
    Tensor output = {};
    Tensor d_output = {};  ///< of what is before the ReLU, where the stage does one
    bool relu = false;     ///< does the ReLU of the stage behind it
  };

  /// Which pass this is; see Pass.
  struct Place {
    bool training = false;
    std::int64_t step = 0;
    std::int64_t first_row = 0;
  };

  explicit Replica(const std::vector<LayerSpec>& layers);

  void open(const Device& device, DataType precision, std::uint64_t seed);
  void build(const Shape& input_shape, std::uint64_t seed);

  const Tensor& forward(const Tensor& inputs, const Place& where);

  /// Into the parameters' gradients, from d_output: the gradient of forward's result.
  void backward(const Tensor& inputs, const Place& where);
  Tensor& d_output() { return stages_[run_.back()].d_output; }

  /// Where the last step went wrong, in words; empty if all is finite. See not_finite.h.
  std::string first_not_finite();

  const std::vector<Stage>& stages() const { return stages_; }
  std::vector<Parameter*> parameters() const;  ///< first layer first
  const Multiplier& multiplier() const { return *multiplier_; }

 private:
  void plan_passes();
  bool is_on_device(std::size_t place) const;  ///< takes tensors there, and may keep them

  std::vector<Stage> stages_;
  std::vector<std::size_t> run_;   ///< the stages that have something to do, first to last
  std::size_t first_trained_ = 0;  ///< in run_; none before it has parameters, or needs dX
  std::unique_ptr<Multiplier> multiplier_;
};

}  // namespace systole::nn
