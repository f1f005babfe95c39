#include "host/nn/layers/batch_normalization.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "host/nn/numbers/parallel.h"

namespace systole::nn {
namespace {

class BatchNormalizationLayer : public Layer {
 public:
  explicit BatchNormalizationLayer(const BatchNormalization& options) : options_(options) {}

  std::string kind() const override { return "BatchNormalization"; }
  std::string description() const override {
    return fmt::format("{}({}, {})", kind(), options_.momentum, options_.epsilon);
  }

  Shape build(const Shape& input, Generator&) override {
    if (!(options_.momentum >= 0 && options_.momentum < 1)) {
      throw std::invalid_argument(
          fmt::format("BatchNormalization: momentum {} is not in 0..1", options_.momentum));
    }
    if (!(options_.epsilon > 0)) {
      throw std::invalid_argument(
          fmt::format("BatchNormalization: epsilon {} is not > 0", options_.epsilon));
    }
    if (input.empty()) {
      throw std::invalid_argument("BatchNormalization: a sample has no dimensions");
    }
    channels_ = static_cast<std::size_t>(input.back());
    parameters_.clear();
    for (const char* name : {"gamma", "beta", "moving_mean", "moving_variance"}) {
      parameters_.emplace_back(name, Shape{input.back()});
    }
    std::ranges::fill(gamma().value, 1.0f);
    std::ranges::fill(moving_variance().value, 1.0f);
    moving_mean().trained = moving_variance().trained = false;
    return input;
  }

  void forward(const Pass& pass, const Tensor& input, Tensor& output) override {
    if (pass.training) {
      measure(input);
      follow(moving_mean(), mean_);
      follow(moving_variance(), variance_);
    } else {
      mean_ = moving_mean().value;
      variance_ = moving_variance().value;
    }
    scale_.resize(channels_);
    offset_.resize(channels_);
    for (std::size_t k = 0; k < channels_; ++k) {
      scale_[k] = gamma().value[k] / std::sqrt(variance_[k] + options_.epsilon);
      offset_[k] = beta().value[k] - mean_[k] * scale_[k];
    }
    output.resize(input.rows, input.row_size);
    for_each_place(pass, input, [&](std::size_t first) {
      const float* x = input.values.data() + first;
      float* y = output.values.data() + first;
      for (std::size_t k = 0; k < channels_; ++k) y[k] = x[k] * scale_[k] + offset_[k];
    });
  }

  // With n values in a channel, x^ the normalised ones and s = gamma / sqrt(variance + epsilon):
  // d_x = s * (d_y - sum(d_y) / n - x^ * sum(d_y * x^) / n).
  void backward(const Pass& pass, const Tensor& input, const Tensor&, const Tensor& d_output,
                Tensor* d_input) override {
    sum_gradients(input, d_output);
    if (d_input == nullptr) return;
    const float share = 1.0f / static_cast<float>(input.values.size() / channels_);
    std::vector<float> along(channels_), constant(channels_);
    for (std::size_t k = 0; k < channels_; ++k) {
      const float inverse = 1.0f / std::sqrt(variance_[k] + options_.epsilon);
      along[k] = -scale_[k] * inverse * gamma().gradient[k] * share;
      constant[k] = -scale_[k] * beta().gradient[k] * share - along[k] * mean_[k];
    }
    d_input->resize(input.rows, input.row_size);
    for_each_place(pass, input, [&](std::size_t first) {
      const float* x = input.values.data() + first;
      const float* d_y = d_output.values.data() + first;
      float* d_x = d_input->values.data() + first;
      for (std::size_t k = 0; k < channels_; ++k) {
        d_x[k] = d_y[k] * scale_[k] + (x[k] * along[k] + constant[k]);
      }
    });
  }

  std::span<Parameter> parameters() override { return parameters_; }

 private:
  Parameter& gamma() { return parameters_[0]; }
  Parameter& beta() { return parameters_[1]; }
  Parameter& moving_mean() { return parameters_[2]; }
  Parameter& moving_variance() { return parameters_[3]; }

  template <typename Work>
  void for_each_place(const Pass& pass, const Tensor& input, const Work& work) const {
    const std::size_t places = input.values.size() / channels_;
    parallel_for(pass.threads(), static_cast<std::int64_t>(places), 1024,
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t p = begin; p < end; ++p) {
                     work(static_cast<std::size_t>(p) * channels_);
                   }
                 });
  }

  // Mean first, then the mean of squared differences: their difference of squares would cancel.
  void measure(const Tensor& input) {
    const auto count = static_cast<double>(input.values.size() / channels_);
    const auto average = [&](std::vector<float>& result, const auto& term) {
      sums_.assign(channels_, 0.0);
      for (std::size_t first = 0; first < input.values.size(); first += channels_) {
        const float* x = input.values.data() + first;
        for (std::size_t k = 0; k < channels_; ++k) sums_[k] += term(x[k], k);
      }
      result.resize(channels_);
      for (std::size_t k = 0; k < channels_; ++k) {
        result[k] = static_cast<float>(sums_[k] / count);
      }
    };
    average(mean_, [](float x, std::size_t) { return double{x}; });
    average(variance_, [&](float x, std::size_t k) {
      const double difference = x - mean_[k];
      return difference * difference;
    });
  }

  void follow(Parameter& moving, const std::vector<float>& batch) const {
    const float kept = options_.momentum;
    for (std::size_t k = 0; k < channels_; ++k) {
      moving.value[k] = kept * moving.value[k] + (1.0f - kept) * batch[k];
    }
    ++moving.version;
  }

  void sum_gradients(const Tensor& input, const Tensor& d_output) {
    std::vector<double> d_gamma(channels_), d_beta(channels_);
    for (std::size_t first = 0; first < input.values.size(); first += channels_) {
      const float* x = input.values.data() + first;
      const float* d_y = d_output.values.data() + first;
      for (std::size_t k = 0; k < channels_; ++k) {
        d_gamma[k] += double{d_y[k]} * double{x[k] - mean_[k]};
        d_beta[k] += d_y[k];
      }
    }
    for (std::size_t k = 0; k < channels_; ++k) {
      const double deviation = std::sqrt(double{variance_[k]} + double{options_.epsilon});
      gamma().gradient[k] = static_cast<float>(d_gamma[k] / deviation);
      beta().gradient[k] = static_cast<float>(d_beta[k]);
    }
  }

  BatchNormalization options_;
  std::size_t channels_ = 0;
  std::vector<Parameter> parameters_;
  std::vector<float> mean_, variance_;  // that the last forward used
  std::vector<float> scale_, offset_;   // y = x * scale + offset
  std::vector<double> sums_;
};

}  // namespace

std::unique_ptr<Layer> BatchNormalization::make() const {
  return std::make_unique<BatchNormalizationLayer>(*this);
}

}  // namespace systole::nn
