#include <catch2/catch.hpp>

#include "host/nn/layers/activation.h"
#include "host/nn/layers/batch_normalization.h"
#include "host/nn/layers/conv2d.h"
#include "host/nn/layers/dense.h"
#include "host/nn/layers/dropout.h"
#include "host/nn/layers/flatten.h"
#include "host/nn/layers/pooling_2d.h"
#include "tests/nn/layers/gradient_check.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

void compile(nn::Sequential& model, const nn::Shape& input_shape) {
  model.compile({.device = Device::open("cpu"),
                 .precision = DataType::kFp32,
                 .input_shape = input_shape,
                 .seed = 4});
}

// The model's own gradients, and those of a preceding convolution, which needs its d_input.
void check_after_convolution(nn::Layer layer, std::int64_t rows = 3) {
  nn::Sequential model{nn::Conv2D{.filters = 2, .padding = nn::Padding::kSame}, std::move(layer),
                       nn::Flatten{}, nn::Dense{.units = 3}};
  compile(model, {5, 4, 2});
  check_gradients(model, random_tensor(rows, 40, 21), cyclic_labels(rows, 3));
}

}  // namespace

TEST_CASE("every gradient agrees with finite differences", "[gradient]") {
  const std::int64_t rows = GENERATE(1, 5);
  CAPTURE(rows);
  nn::Sequential model{nn::Flatten{}, nn::Dense{.units = 7}, nn::Relu{}, nn::Dense{.units = 5},
                       nn::Dense{.units = 3}};
  compile(model, {2, 3, 1});
  // Small inputs and biases of +-1 keep every ReLU clearly on or off, away from its kink.
  nn::Tensor inputs = random_tensor(rows, 6, 21);
  for (float& value : inputs.values) value *= 0.2f;
  auto& bias = model.parameters()[1]->value;
  for (std::size_t u = 0; u < bias.size(); ++u) bias[u] = u % 3 == 1 ? -1.0f : 1.0f;
  check_gradients(model, inputs, cyclic_labels(rows, 3));
}

TEST_CASE("gradients of a convolution after another agree with finite differences", "[gradient]") {
  using enum nn::Padding;
  const auto padding = GENERATE(kValid, kSame);
  const auto strides = GENERATE(nn::Size2D{1, 1}, nn::Size2D{2, 1}, nn::Size2D{3, 2});
  CAPTURE(strides.height, strides.width);
  check_after_convolution(
      nn::Conv2D{.filters = 3, .kernel = {2, 3}, .strides = strides, .padding = padding});
}

TEST_CASE("gradients through poolings agree with finite differences", "[gradient]") {
  using enum nn::Padding;
  const auto padding = GENERATE(kValid, kSame);
  const auto strides = GENERATE(nn::Size2D{1, 1}, nn::Size2D{2, 2}, nn::Size2D{3, 2});
  CAPTURE(strides.height, strides.width);
  check_after_convolution(nn::MaxPooling2D{.pool = {2, 2}, .strides = strides, .padding = padding});
  check_after_convolution(
      nn::AveragePooling2D{.pool = {3, 2}, .strides = strides, .padding = padding});
}

TEST_CASE("gradients through smooth activations agree with finite differences", "[gradient]") {
  using nn::Function;
  for (const Function& function : {Function::kLinear, Function::kGelu, Function::kTanh,
                                   Function::kSigmoid, Function::kSoftmax}) {
    CAPTURE(function.name);
    check_after_convolution(nn::Activation{.function = function});
    check_after_convolution(nn::Conv2D{.filters = 2, .kernel = {1, 1}, .activation = function});
  }
}

TEST_CASE("gradients through dropout agree with finite differences", "[gradient]") {
  check_after_convolution(nn::Dropout{.rate = 0.3f});
}

TEST_CASE("gradients of batch normalisation agree with finite differences", "[gradient]") {
  check_after_convolution(nn::BatchNormalization{}, 4);
}

}  // namespace systole::tests
