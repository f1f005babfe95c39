#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/data/dataset.h"
#include "host/nn/training/replicas.h"
#include "host/nn/training/training.h"

namespace systole::nn {

/// A chain of layers, and the loop that trains them on a device.
///
/// Shapes   inferred from compile's input_shape, or from the first data
/// Timing   every call blocks; one thread at a time. Each shape of a batch is compiled once, for
///          training, evaluation and prediction; weights stay on the device between steps
/// Numbers  fp32 master weights; docs/numerics.md section 9. The same seeds on two bit-exact
/// devices
///          give the same losses and weights, to the last bit
/// Errors   std::invalid_argument for options or data that do not fit the model; graph::GraphError
///          with the layer for what the device cannot run; TrainingError when the loss becomes NaN
///          or infinite, after which the weights are those that were last read; DeviceError from
///          the device
class Sequential {
 public:
  Sequential(std::initializer_list<Layer> layers);
  explicit Sequential(const std::vector<Layer>& layers);

  /// On the cores of the strategy in whose scope the model was made, or on one device.
  void compile(const CompileOptions& options);

  History fit(const Dataset& data, const FitOptions& options = {});
  Score evaluate(const Dataset& data, const EvaluateOptions& options = {});

  /// The last layer's outputs: logits if the loss is SoftmaxCrossEntropy.
  Tensor predict(const Tensor& inputs);

  /// The same for a whole data set, in batches.
  Tensor predict(const Dataset& data, const EvaluateOptions& options = {});

  /// The optimizer's learning rate; callbacks may have changed it.
  float learning_rate() const;
  void set_learning_rate(float rate);

  /// One step of fit, for custom loops: forward, loss, backward, update.
  Score train_batch(const Tensor& inputs, std::span<const std::int32_t> labels);

  /// Forward and backward pass without the update: the gradients stay in parameters().
  Score compute_gradients(const Tensor& inputs, std::span<const std::int32_t> labels);

  /// A table of layers, output shapes and parameter counts.
  std::string summary() const;

  /// Measured wall time of the device's copies and products since compile; the rest of a call's
  /// time is the host's. With several threads, the busiest one's.
  double device_wall_seconds() const;

  /// Products and multiply-adds since compile that no device counts: those in fp32 on the cpu.
  Counters processor_products() const { return replicas_.processor_products(); }

  /// Device clocks of the steps since compile, by core.
  const StepTime& step_time() const { return replicas_.time(); }

  /// All parameters, first layer first, named by layer number and kind: "1.dense.weight"; empty
  /// before the shapes are known.
  std::vector<Parameter*> parameters() const;

 private:
  class Fit;

  void build(const Shape& input_shape);
  const CompileOptions& compiled() const;  ///< throws before compile
  void need_built(const Shape& sample_shape);
  void need_inputs(const Tensor& inputs) const;
  void need_fitting(const Dataset& data, std::int64_t batch_size);
  StepScalars scalars(std::int64_t update, float learning_rate) const;
  void add_step(Replicas::Prepared batch);
  /// Throws TrainingError naming the layer where the step went wrong, if it did.
  void need_finite(const Score& score, const Tensor& inputs, std::span<const std::int32_t> labels,
                   std::int64_t update);
  const std::vector<Replica::Stage>& stages() const { return replicas_.master().stages(); }

  Replicas replicas_;
  std::optional<Strategy> scope_;  ///< the strategy in whose scope the model was made
  Shape input_shape_;
  std::optional<CompileOptions> options_;  ///< of compile
  std::int64_t updates_ = 0;
};

}  // namespace systole::nn
