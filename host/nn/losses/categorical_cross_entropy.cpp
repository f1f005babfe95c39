#include "host/nn/losses/categorical_cross_entropy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace systole::nn {
namespace {

constexpr float kSmallest = 1e-7f;

std::ptrdiff_t largest(std::span<const float> row) {
  return std::ranges::max_element(row) - row.begin();
}

// -sum of t log softmax(z); the slope is softmax(z) * sum(t) - t.
double from_logits_row(std::span<const float> z, std::span<const float> t, std::span<float> d_z) {
  const float top = *std::ranges::max_element(z);
  float sum = 0, total = 0;
  for (const float value : z) sum += std::exp(value - top);
  for (const float target : t) total += target;
  const float log_sum = std::log(sum);
  double loss = 0;
  for (std::size_t c = 0; c < z.size(); ++c) loss += t[c] * (log_sum - (z[c] - top));
  for (std::size_t c = 0; c < d_z.size(); ++c) d_z[c] = std::exp(z[c] - top) / sum * total - t[c];
  return loss;
}

// -sum of t log q with q = y / sum(y), cut; the slope is (sum of uncut t - t[c] / q[c]) / sum(y).
double from_probabilities_row(std::span<const float> y, std::span<const float> t,
                              std::span<float> d_y) {
  float sum = 0;
  for (const float value : y) sum += value;
  const auto is_cut = [](float q) { return q < kSmallest || q > 1.0f - kSmallest; };
  double loss = 0;
  float uncut = 0;
  for (std::size_t c = 0; c < y.size(); ++c) {
    const float q = y[c] / sum;
    loss -= t[c] * std::log(std::clamp(q, kSmallest, 1.0f - kSmallest));
    if (!is_cut(q)) uncut += t[c];
  }
  for (std::size_t c = 0; c < d_y.size(); ++c) {
    const float q = y[c] / sum;
    d_y[c] = (uncut - (is_cut(q) ? 0.0f : t[c] / q)) / sum;
  }
  return loss;
}

}  // namespace

void CategoricalCrossEntropy::check() const {
  if (!(label_smoothing >= 0 && label_smoothing < 1)) {
    throw std::invalid_argument(
        fmt::format("CategoricalCrossEntropy: label_smoothing {} is not in 0..1", label_smoothing));
  }
}

std::string CategoricalCrossEntropy::describe() const {
  return fmt::format("categorical cross-entropy{}{}", from_logits ? " of logits" : "",
                     label_smoothing > 0 ? fmt::format(", smoothing {}", label_smoothing) : "");
}

Score CategoricalCrossEntropy::evaluate(const Tensor& outputs, const Tensor& targets,
                                        Tensor* d_outputs) const {
  need_same_size("cross entropy", outputs, targets);
  if (d_outputs != nullptr) d_outputs->resize(outputs.rows, outputs.row_size);
  const float share = label_smoothing / static_cast<float>(outputs.row_size);
  const float inverse_rows = 1.0f / static_cast<float>(outputs.rows);
  std::vector<float> smooth(static_cast<std::size_t>(outputs.row_size));
  double loss = 0;
  std::int64_t correct = 0;
  for (std::int64_t r = 0; r < outputs.rows; ++r) {
    const auto y = outputs.row(r);
    const auto t = targets.row(r);
    for (std::size_t c = 0; c < t.size(); ++c) smooth[c] = (1 - label_smoothing) * t[c] + share;
    const auto d_y = d_outputs != nullptr ? d_outputs->row(r) : std::span<float>{};
    loss += from_logits ? from_logits_row(y, smooth, d_y) : from_probabilities_row(y, smooth, d_y);
    for (float& value : d_y) value *= inverse_rows;
    correct += largest(y) == largest(t);
  }
  const auto rows = static_cast<double>(outputs.rows);
  return {.loss = loss / rows, .accuracy = static_cast<double>(correct) / rows};
}

Score CategoricalCrossEntropy::evaluate(const Tensor& outputs, std::span<const std::int32_t> labels,
                                        Tensor* d_outputs) const {
  return evaluate(outputs, one_hot(labels, outputs.row_size), d_outputs);
}

}  // namespace systole::nn
