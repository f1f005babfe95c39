#include "host/nn/dense.h"

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
    loaded_version_ = 0;
    return {units_};
  }

  void forward(const Pass& pass, const Tensor& input, Tensor& output) override {
    pass.multiplier.load(x_, input.values);
    load_weight(pass.multiplier);
    output.resize(input.rows, units_);
    pass.multiplier.multiply(
        {.a = x_, .b = w_, .rows = input.rows, .depth = inputs_, .cols = units_}, output.values);
    for (std::int64_t r = 0; r < output.rows; ++r) {
      const auto y = output.row(r);
      for (std::size_t u = 0; u < y.size(); ++u) y[u] += bias().value[u];
    }
  }

  void backward(const Pass& pass, const Tensor& input, const Tensor&, const Tensor& d_output,
                Tensor* d_input) override {
    pass.multiplier.load(d_y_, d_output.values);
    pass.multiplier.multiply({.a = x_,
                              .b = d_y_,
                              .rows = inputs_,
                              .depth = input.rows,
                              .cols = units_,
                              .transpose_a = true},
                             weight().gradient);
    std::ranges::fill(bias().gradient, 0.0f);
    for (std::int64_t r = 0; r < d_output.rows; ++r) {
      const auto d_y = d_output.row(r);
      for (std::size_t u = 0; u < d_y.size(); ++u) bias().gradient[u] += d_y[u];
    }
    if (d_input == nullptr) return;
    d_input->resize(input.rows, inputs_);
    pass.multiplier.multiply({.a = d_y_,
                              .b = w_,
                              .rows = input.rows,
                              .depth = units_,
                              .cols = inputs_,
                              .transpose_b = true},
                             d_input->values);
  }

  std::span<Parameter> parameters() override { return parameters_; }

 private:
  Parameter& weight() { return parameters_[0]; }
  Parameter& bias() { return parameters_[1]; }

  // Converted once per update, not once per product: forward and dX of a step share the copy.
  void load_weight(Multiplier& multiplier) {
    if (loaded_version_ == weight().version) return;
    multiplier.load(w_, weight().value);
    loaded_version_ = weight().version;
  }

  std::int64_t units_;
  std::int64_t inputs_ = 0;
  std::vector<Parameter> parameters_;
  Operand x_, w_, d_y_;
  std::uint64_t loaded_version_ = 0;
};

}  // namespace

std::unique_ptr<Layer> Dense::make() const { return std::make_unique<DenseLayer>(units); }

}  // namespace systole::nn
