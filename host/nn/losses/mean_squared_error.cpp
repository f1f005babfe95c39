#include "host/nn/losses/mean_squared_error.h"

#include <algorithm>

namespace systole::nn {

Score MeanSquaredError::evaluate(const Tensor& outputs, const Tensor& targets,
                                 Tensor* d_outputs) const {
  need_same_size("mean squared error", outputs, targets);
  if (d_outputs != nullptr) d_outputs->resize(outputs.rows, outputs.row_size);
  const auto count = static_cast<double>(outputs.values.size());
  const auto slope = static_cast<float>(2 / count);
  double loss = 0;
  std::int64_t correct = 0;
  for (std::int64_t r = 0; r < outputs.rows; ++r) {
    const auto y = outputs.row(r);
    const auto t = targets.row(r);
    for (std::size_t c = 0; c < y.size(); ++c) {
      const float difference = y[c] - t[c];
      loss += double{difference} * double{difference};
      if (d_outputs != nullptr) d_outputs->row(r)[c] = slope * difference;
    }
    correct += std::ranges::max_element(y) - y.begin() == std::ranges::max_element(t) - t.begin();
  }
  return {.loss = loss / count,
          .accuracy = static_cast<double>(correct) / static_cast<double>(outputs.rows)};
}

Score MeanSquaredError::evaluate(const Tensor& outputs, std::span<const std::int32_t> labels,
                                 Tensor* d_outputs) const {
  return evaluate(outputs, one_hot(labels, outputs.row_size), d_outputs);
}

}  // namespace systole::nn
