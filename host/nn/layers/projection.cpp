#include "host/nn/layers/projection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace systole::nn {

Projection::Projection(const ProjectionOptions& options, Generator& generator)
    : inputs_(options.inputs), units_(options.units), has_bias_(options.has_bias) {
  if (inputs_ < 1 || units_ < 1) {
    throw std::invalid_argument(
        fmt::format("{}: a matrix of {} x {} has no values", options.name, inputs_, units_));
  }
  parameters_.emplace_back(options.name + "/kernel", Shape{inputs_, units_});
  if (has_bias_) parameters_.emplace_back(options.name + "/bias", Shape{units_});
  const float limit = std::sqrt(6.0f / static_cast<float>(inputs_ + units_));
  for (float& w : parameters_[0].value) w = generator.uniform(-limit, limit);
}

std::int64_t Projection::rows_of(std::span<const float> values, std::int64_t row_size) const {
  const std::int64_t size = std::ssize(values);
  if (size < 1 || size % row_size != 0) {
    throw std::invalid_argument(
        fmt::format("{}: {} values are not rows of {}", parameters_[0].name, size, row_size));
  }
  return size / row_size;
}

void Projection::load_weight(Multiplier& multiplier) {
  if (loaded_version_ == parameters_[0].version) return;
  multiplier.load(w_, parameters_[0].value);
  loaded_version_ = parameters_[0].version;
}

void Projection::forward(Multiplier& multiplier, std::span<const float> x, std::span<float> y) {
  const std::int64_t rows = rows_of(x, inputs_);
  load_weight(multiplier);
  multiplier.load(x_, x);
  multiplier.multiply({.a = x_, .b = w_, .rows = rows, .depth = inputs_, .cols = units_}, y);
  if (!has_bias_) return;
  const float* bias = parameters_[1].value.data();
  for (std::int64_t r = 0; r < rows; ++r) {
    float* row = y.data() + r * units_;
    for (std::int64_t u = 0; u < units_; ++u) row[u] += bias[u];
  }
}

void Projection::backward(Multiplier& multiplier, std::span<const float> d_y,
                          std::span<float> d_x) {
  const std::int64_t rows = rows_of(d_y, units_);
  load_weight(multiplier);
  multiplier.load(d_y_, d_y, Rounding::kStochastic);
  multiplier.multiply(
      {.a = d_y_, .b = w_, .rows = rows, .depth = units_, .cols = inputs_, .transpose_b = true},
      d_x);
}

void Projection::find_gradients(Multiplier& multiplier, std::span<const float> x,
                                std::span<const float> d_y) {
  const std::int64_t rows = rows_of(x, inputs_);
  multiplier.load(x_, x);
  multiplier.load(d_y_, d_y, Rounding::kStochastic);
  multiplier.multiply(
      {.a = x_, .b = d_y_, .rows = inputs_, .depth = rows, .cols = units_, .transpose_a = true},
      parameters_[0].gradient);
  if (!has_bias_) return;
  std::ranges::fill(parameters_[1].gradient, 0.0f);
  float* d_bias = parameters_[1].gradient.data();
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* row = d_y.data() + r * units_;
    for (std::int64_t u = 0; u < units_; ++u) d_bias[u] += row[u];
  }
}

}  // namespace systole::nn
