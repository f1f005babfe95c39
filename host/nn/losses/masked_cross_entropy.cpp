#include "host/nn/losses/masked_cross_entropy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "host/graph/functions.h"

namespace systole::nn {
namespace {

// In four sums that lie side by side: one alone would wait for itself.
float sum_of(std::span<const float> values) {
  float lanes[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) lanes[lane] += values[i + lane];
  }
  for (; i < values.size(); ++i) lanes[0] += values[i];
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

}  // namespace

WordScore MaskedCrossEntropy::evaluate(const Tensor& logits, std::span<const std::int32_t> labels,
                                       Tensor* d_logits) const {
  if (std::ssize(labels) != logits.rows) {
    throw std::invalid_argument(
        fmt::format("cross entropy of {} predictions got {} labels", logits.rows, labels.size()));
  }
  const auto words = std::ssize(labels) - std::ranges::count(labels, padding);
  if (words == 0) throw std::invalid_argument("cross entropy of labels that are all padding");
  if (d_logits != nullptr) d_logits->resize(logits.rows, logits.row_size);
  const float inverse_words = 1.0f / static_cast<float>(words);
  std::vector<float> exponentials(static_cast<std::size_t>(logits.row_size));
  double loss = 0;
  std::int64_t correct = 0;
  for (std::int64_t r = 0; r < logits.rows; ++r) {
    const std::int32_t label = labels[static_cast<std::size_t>(r)];
    if (label < 0 || label >= logits.row_size) {
      throw std::invalid_argument(
          fmt::format("label {} is outside the model's {} words", label, logits.row_size));
    }
    if (label == padding) {
      if (d_logits != nullptr) std::ranges::fill(d_logits->row(r), 0.0f);
      continue;
    }
    const auto z = logits.row(r);
    const auto largest = std::ranges::max_element(z);
    for (std::size_t c = 0; c < z.size(); ++c)
      exponentials[c] = graph::exponential(z[c] - *largest);
    const float sum = sum_of(exponentials);
    loss += std::log(sum) - (z[static_cast<std::size_t>(label)] - *largest);
    correct += largest - z.begin() == label;
    if (d_logits == nullptr) continue;
    const auto d_z = d_logits->row(r);
    const float scale = inverse_words / sum;
    for (std::size_t c = 0; c < z.size(); ++c) d_z[c] = exponentials[c] * scale;
    d_z[static_cast<std::size_t>(label)] -= inverse_words;
  }
  const auto count = static_cast<double>(words);
  return {.loss = loss / count, .accuracy = static_cast<double>(correct) / count, .words = words};
}

}  // namespace systole::nn
