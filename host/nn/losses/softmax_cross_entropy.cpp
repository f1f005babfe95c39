#include "host/nn/losses/softmax_cross_entropy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace systole::nn {

Score SoftmaxCrossEntropy::evaluate(const Tensor& logits, std::span<const std::int32_t> labels,
                                    Tensor* d_logits) const {
  if (static_cast<std::int64_t>(labels.size()) != logits.rows || logits.rows < 1) {
    throw std::invalid_argument(
        fmt::format("cross entropy of {} predictions got {} labels", logits.rows, labels.size()));
  }
  if (d_logits != nullptr) d_logits->resize(logits.rows, logits.row_size);
  const float inverse_rows = 1.0f / static_cast<float>(logits.rows);
  std::vector<float> exponential(static_cast<std::size_t>(logits.row_size));
  double loss = 0;
  std::int64_t correct = 0;
  for (std::int64_t r = 0; r < logits.rows; ++r) {
    const auto z = logits.row(r);
    const std::int32_t label = labels[static_cast<std::size_t>(r)];
    if (label < 0 || label >= logits.row_size) {
      throw std::invalid_argument(
          fmt::format("label {} is outside the model's {} classes", label, logits.row_size));
    }
    const auto largest = std::ranges::max_element(z);
    float sum = 0;
    for (std::size_t c = 0; c < z.size(); ++c) sum += exponential[c] = std::exp(z[c] - *largest);
    loss += std::log(sum) - (z[static_cast<std::size_t>(label)] - *largest);
    correct += largest - z.begin() == label;
    if (d_logits == nullptr) continue;
    const auto d_z = d_logits->row(r);
    for (std::size_t c = 0; c < z.size(); ++c) d_z[c] = exponential[c] / sum * inverse_rows;
    d_z[static_cast<std::size_t>(label)] -= inverse_rows;
  }
  const auto rows = static_cast<double>(logits.rows);
  return {.loss = loss / rows, .accuracy = static_cast<double>(correct) / rows};
}

}  // namespace systole::nn
