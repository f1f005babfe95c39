#include "host/nn/layers/activation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "host/nn/numbers/parallel.h"

namespace systole::nn {
namespace {

constexpr std::string_view kNames[] = {"linear", "relu", "tanh", "sigmoid", "softmax"};
constexpr std::int64_t kGrain = 1 << 15;  // values worth a thread

void softmax(std::span<float> y) {
  const float largest = *std::ranges::max_element(y);
  float sum = 0;
  for (float& value : y) sum += value = std::exp(value - largest);
  for (float& value : y) value /= sum;
}

void softmax_slope(std::span<const float> y, std::span<const float> d_y, std::span<float> d_x) {
  float sum = 0;
  for (std::size_t i = 0; i < y.size(); ++i) sum += y[i] * d_y[i];
  for (std::size_t i = 0; i < y.size(); ++i) d_x[i] = y[i] * (d_y[i] - sum);
}

std::span<float> part(std::span<float> all, std::int64_t begin, std::int64_t end) {
  return all.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}
std::span<const float> part(std::span<const float> all, std::int64_t begin, std::int64_t end) {
  return all.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

void apply_to_part(Function function, std::int64_t last, std::span<float> y) {
  switch (function) {
    case Function::kLinear:
      return;
    case Function::kRelu:
      for (float& value : y) value = value < 0.0f ? 0.0f : value;
      return;
    case Function::kTanh:
      for (float& value : y) value = std::tanh(value);
      return;
    case Function::kSigmoid:
      for (float& value : y) value = 1.0f / (1.0f + std::exp(-value));
      return;
    case Function::kSoftmax:
      const auto size = static_cast<std::int64_t>(y.size());
      for (std::int64_t i = 0; i < size; i += last) softmax(part(y, i, i + last));
      return;
  }
}

void apply_slope_to_part(Function function, std::int64_t last, std::span<const float> y,
                         std::span<const float> d_y, std::span<float> d_x) {
  switch (function) {
    case Function::kLinear:
      std::ranges::copy(d_y, d_x.begin());
      return;
    case Function::kRelu:
      for (std::size_t i = 0; i < y.size(); ++i) d_x[i] = y[i] > 0.0f ? d_y[i] : 0.0f;
      return;
    case Function::kTanh:
      for (std::size_t i = 0; i < y.size(); ++i) d_x[i] = d_y[i] * (1.0f - y[i] * y[i]);
      return;
    case Function::kSigmoid:
      for (std::size_t i = 0; i < y.size(); ++i) d_x[i] = d_y[i] * (y[i] * (1.0f - y[i]));
      return;
    case Function::kSoftmax:
      const auto size = static_cast<std::int64_t>(y.size());
      for (std::int64_t i = 0; i < size; i += last) {
        softmax_slope(part(y, i, i + last), part(d_y, i, i + last), part(d_x, i, i + last));
      }
      return;
  }
}

class ActivationLayer : public Layer {
 public:
  explicit ActivationLayer(Function function) : function_(function) {}

  std::string kind() const override { return "Activation"; }
  std::string description() const override {
    return fmt::format("Activation({})", to_string(function_));
  }
  Execution execution() const override {
    return function_ == Function::kRelu     ? Execution::kRelu
           : function_ == Function::kLinear ? Execution::kView
                                            : Execution::kHost;
  }

  Shape build(const Shape& input, Generator&) override {
    last_ = input.empty() ? 1 : input.back();
    return input;
  }

  void forward(const Pass& pass, const Tensor& input, Tensor& output) override {
    output = input;
    apply(function_, last_, output.values, pass.threads());
  }

  void backward(const Pass& pass, const Tensor&, const Tensor& output, const Tensor& d_output,
                Tensor* d_input) override {
    if (d_input == nullptr) return;
    d_input->resize(d_output.rows, d_output.row_size);
    apply_slope(function_, last_, output.values, d_output.values, d_input->values, pass.threads());
  }

 private:
  Function function_;
  std::int64_t last_ = 1;
};

class ActivatedLayer : public Layer {
 public:
  ActivatedLayer(std::unique_ptr<Layer> inner, Function function)
      : inner_(std::move(inner)), function_(function) {}

  std::string kind() const override { return inner_->kind(); }
  std::string description() const override {
    return fmt::format("{}({})", inner_->description(), to_string(function_));
  }
  Execution execution() const override {
    const bool on_device = inner_->execution() == Execution::kDevice;
    return on_device && function_ == Function::kRelu ? Execution::kDeviceRelu : Execution::kHost;
  }

  Shape build(const Shape& input, Generator& generator) override {
    Shape shape = inner_->build(input, generator);
    last_ = shape.back();
    return shape;
  }

  void forward(const Pass& pass, const Tensor& input, Tensor& output) override {
    inner_->forward(pass, input, output);
    if (pass.relu) return;  // the device did it
    apply(function_, last_, output.values, pass.threads());
  }

  void backward(const Pass& pass, const Tensor& input, const Tensor& output, const Tensor& d_output,
                Tensor* d_input) override {
    if (pass.relu) return inner_->backward(pass, input, output, d_output, d_input);
    d_inner_.resize(d_output.rows, d_output.row_size);
    apply_slope(function_, last_, output.values, d_output.values, d_inner_.values, pass.threads());
    inner_->backward(pass, input, output, d_inner_, d_input);
  }

  std::span<Parameter> parameters() override { return inner_->parameters(); }

 private:
  std::unique_ptr<Layer> inner_;
  Function function_;
  std::int64_t last_ = 1;
  Tensor d_inner_;
};

}  // namespace

std::string_view to_string(Function function) { return kNames[static_cast<int>(function)]; }

Function parse_function(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == std::end(kNames)) {
    throw std::invalid_argument(
        fmt::format("unknown activation '{}': choose from {}", name, fmt::join(kNames, ", ")));
  }
  return static_cast<Function>(found - std::begin(kNames));
}

void apply(Function function, std::int64_t last, std::span<float> y, int threads) {
  const auto rows = static_cast<std::int64_t>(y.size()) / last;
  parallel_for(threads, rows, 1 + kGrain / last, [&](std::int64_t begin, std::int64_t end) {
    apply_to_part(function, last, part(y, begin * last, end * last));
  });
}

void apply_slope(Function function, std::int64_t last, std::span<const float> y,
                 std::span<const float> d_y, std::span<float> d_x, int threads) {
  const auto rows = static_cast<std::int64_t>(y.size()) / last;
  parallel_for(threads, rows, 1 + kGrain / last, [&](std::int64_t begin, std::int64_t end) {
    apply_slope_to_part(function, last, part(y, begin * last, end * last),
                        part(d_y, begin * last, end * last), part(d_x, begin * last, end * last));
  });
}

std::unique_ptr<Layer> Activation::make() const {
  return std::make_unique<ActivationLayer>(function);
}

std::unique_ptr<Layer> with_activation(std::unique_ptr<Layer> layer, Function function) {
  if (function == Function::kLinear) return layer;
  return std::make_unique<ActivatedLayer>(std::move(layer), function);
}

}  // namespace systole::nn
