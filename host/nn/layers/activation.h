#pragma once

#include <span>
#include <string_view>

#include "host/nn/layers/layer.h"

namespace systole::nn {

/// What a layer's outputs go through, in Keras' words.
///
/// Numbers  fp32. kRelu max(x, 0); kTanh; kSigmoid 1 / (1 + exp(-x)); kSoftmax exp(x - max) over
///          its sum along the last dimension of a sample. NaN stays NaN.
enum class Function : std::uint8_t { kLinear, kRelu, kTanh, kSigmoid, kSoftmax };

std::string_view to_string(Function function);  ///< "relu"

/// Errors   std::invalid_argument for a name there is not, listing those there are
Function parse_function(std::string_view name);

/// y = f(y), where it lies; `last` is the last dimension's size.
void apply(Function function, std::int64_t last, std::span<float> y, int threads = 1);

/// d_x from d_y and y = f(x): every function here has a slope that its result tells.
void apply_slope(Function function, std::int64_t last, std::span<const float> y,
                 std::span<const float> d_y, std::span<float> d_x, int threads = 1);

/// y = f(x), as a layer of its own.
///
/// Shapes   any; the output's is the input's
struct Activation {
  Function function = Function::kLinear;

  std::unique_ptr<Layer> make() const;
};

/// The layer with f behind it, as Dense{.activation = f} asks for; kLinear is the layer itself.
/// One layer to the outside: the name, the parameters and the shapes are the inner one's.
std::unique_ptr<Layer> with_activation(std::unique_ptr<Layer> layer, Function function);

}  // namespace systole::nn
