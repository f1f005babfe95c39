#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "host/nn/layers/parameter.h"
#include "host/nn/numbers/generator.h"
#include "host/nn/numbers/shape.h"
#include "host/nn/numbers/tensor.h"
#include "host/nn/products/product.h"

namespace systole::nn {

/// What a layer is told about the pass it is part of. on_device, relu and mask are for
/// device layers only, and false for others.
struct Pass {
  Multiplier& multiplier;  ///< every matrix product goes through it, to the device
  bool training = false;
  std::int64_t step = 0;       ///< updates before this pass, for what is random in a layer
  std::int64_t first_row = 0;  ///< where the rows begin in the whole batch, when it is shared out
  bool on_device = false;      ///< leave the output, or d_input, on the device
  bool relu = false;           ///< hand on max(output, 0); d_output is what is before that
  bool mask = false;           ///< backward: d_input is 0 where the input is not > 0

  int threads() const { return multiplier.device().info().threads; }  ///< for loops of the host
};

/// How Sequential runs a layer.
enum class Execution : std::uint8_t {
  kHost,        ///< on values: tensors are on the host before and after every call
  kDevice,      ///< on tensors wherever they are, through Multiplier, as Pass asks
  kDeviceRelu,  ///< the same, with a ReLU at its end whether Pass asks for it or not
  kRelu,        ///< y = max(x, 0): done by a device layer before it, where there is one
  kView,        ///< the same values in another shape: nothing is done
};

/// One step of a network: forward, backward and parameters, nothing else.
///
/// Shapes   input [rows, size_of(input shape)], output [rows, size_of(output shape)]; rows may
///          differ from pass to pass (a ragged last batch)
/// Limits   backward follows a forward of the same input; both tensors are unchanged in between.
/// Timing   gradients of parameters are there after Multiplier::wait(), tensors on return
/// Numbers  fp32 everywhere but in matrix products, in an order that does not depend on threads
/// Errors   build throws std::invalid_argument with the shape it was given, if it cannot take it
class Layer {
 public:
  virtual ~Layer() = default;

  virtual std::string kind() const = 0;  ///< "Dense", as summary() prints it

  /// The kind, and of the options those that no shape shows: layers of equal descriptions and
  /// shapes learn alike.
  virtual std::string description() const { return kind(); }

  virtual Execution execution() const { return Execution::kHost; }

  /// Infers the output's shape and creates the parameters, initialised from the generator.
  virtual Shape build(const Shape& input, Generator& generator) = 0;

  virtual void forward(const Pass& pass, const Tensor& input, Tensor& output) = 0;

  /// Writes the parameters' gradients and, unless it is null, the input's.
  virtual void backward(const Pass& pass, const Tensor& input, const Tensor& output,
                        const Tensor& d_output, Tensor* d_input) = 0;

  virtual std::span<Parameter> parameters() { return {}; }
};

/// A plain struct of options, such as Dense{.units = 10}, from which layers are made.
template <typename T>
concept LayerOptions = requires(const T& options) {
  { options.make() } -> std::same_as<std::unique_ptr<Layer>>;
};

/// Any layer's options as a value, so that a model is written as a list of them.
class LayerSpec {
 public:
  template <LayerOptions Options>
  LayerSpec(Options options)  // implicit on purpose: Sequential{Dense{...}, Relu{}}
      : make_([options = std::move(options)] { return options.make(); }) {}

  std::unique_ptr<Layer> make() const { return make_(); }

 private:
  std::function<std::unique_ptr<Layer>()> make_;
};

}  // namespace systole::nn
