#include "host/nn/layers/dense.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace systole::nn {
namespace {

class DenseLayer : public Layer {
 public:
  explicit DenseLayer(std::int64_t units) : units_(units) {}

  std::string kind() const override { return "Dense"; }
  Execution execution() const override { return Execution::kDevice; }

  Shape build(const Shape& input, Generator& generator) override {
    if (units_ < 1)
      throw std::invalid_argument(fmt::format("Dense: units is {}, not >= 1", units_));
    if (input.size() != 1) {
      throw std::invalid_argument(fmt::format(
          "Dense: a sample is {}, not one-dimensional; put Flatten before it", to_string(input)));
    }
    inputs_ = input[0];
    parameters_.clear();
    parameters_.emplace_back("weight", Shape{inputs_, units_});
    parameters_.emplace_back("bias", Shape{units_});
    const float limit = std::sqrt(6.0f / static_cast<float>(inputs_ + units_));
    for (float& w : weight().value) w = generator.uniform(-limit, limit);
    // A new build may be for another device.
    x_ = w_ = b_ = d_y_ = {};
    gradients_ = {};
    weight_version_ = bias_version_ = 0;
    return {units_};
  }

  void forward(const Pass& pass, const Tensor& input, Tensor& output) override {
    Multiplier& multiplier = pass.multiplier;
    const Operand& x = multiplier.operand(input, x_);
    load_parameters(multiplier);
    multiplier.multiply({.a = x, .b = w_, .rows = input.rows, .depth = inputs_, .cols = units_},
                        {.bias = &b_, .relu = pass.relu}, output, pass.on_device);
  }

  void backward(const Pass& pass, const Tensor& input, const Tensor&, const Tensor& d_output,
                Tensor* d_input) override {
    Multiplier& multiplier = pass.multiplier;
    const Operand& x = Multiplier::loaded(input, x_);
    const Operand& d_y = multiplier.operand(d_output, d_y_, Rounding::kStochastic);
    const auto gradients = [&] {
      multiplier.multiply({.a = x,
                           .b = d_y,
                           .rows = inputs_,
                           .depth = input.rows,
                           .cols = units_,
                           .transpose_a = true},
                          gradients_, weight().gradient, bias().gradient);
    };
    // What returns at once goes first, so that the other runs with it.
    if (d_input == nullptr || !pass.on_device) gradients();
    if (d_input == nullptr) return;
    multiplier.multiply({.a = d_y,
                         .b = w_,
                         .rows = input.rows,
                         .depth = units_,
                         .cols = inputs_,
                         .transpose_b = true},
                        {.mask = pass.mask ? &x : nullptr}, *d_input, pass.on_device);
    if (pass.on_device) gradients();
  }

  std::span<Parameter> parameters() override { return parameters_; }

 private:
  Parameter& weight() { return parameters_[0]; }
  Parameter& bias() { return parameters_[1]; }

  // Once per update, not once per product: forward and dX of a step share the copies.
  void load_parameters(Multiplier& multiplier) {
    if (weight_version_ != weight().version) multiplier.load(w_, weight().value);
    if (bias_version_ != bias().version) multiplier.load_bias(b_, bias().value);
    weight_version_ = weight().version;
    bias_version_ = bias().version;
  }

  std::int64_t units_;
  std::int64_t inputs_ = 0;
  std::vector<Parameter> parameters_;
  Operand x_, w_, b_, d_y_;
  GradientBuffers gradients_;
  std::uint64_t weight_version_ = 0, bias_version_ = 0;
};

}  // namespace

std::unique_ptr<Layer> Dense::make() const {
  return with_activation(std::make_unique<DenseLayer>(units), activation);
}

}  // namespace systole::nn
