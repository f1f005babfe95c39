#include "host/nn/losses/score.h"

#include <fmt/format.h>

#include <stdexcept>

namespace systole::nn {
void need_labels(std::span<const std::int32_t> labels, std::int64_t rows, std::int64_t classes) {
  if (std::ssize(labels) != rows || rows < 1) {
    throw std::invalid_argument(
        fmt::format("a batch of {} samples got {} labels", rows, labels.size()));
  }
  for (const std::int32_t label : labels) {
    if (label >= 0 && label < classes) continue;
    throw std::invalid_argument(
        fmt::format("label {} is outside the model's {} classes", label, classes));
  }
}

double top_k_accuracy(const Tensor& outputs, std::span<const std::int32_t> labels, std::int64_t k) {
  need_labels(labels, outputs.rows, outputs.row_size);
  if (k < 1) throw std::invalid_argument(fmt::format("top {} accuracy: k is not >= 1", k));
  std::int64_t found = 0;
  for (std::int64_t r = 0; r < outputs.rows; ++r) {
    const std::int32_t label = labels[r];
    const auto y = outputs.row(r);
    const auto place = static_cast<std::size_t>(label);
    std::int64_t ahead = 0;
    for (std::size_t c = 0; c < y.size(); ++c) {
      ahead += y[c] > y[place] || (c < place && y[c] == y[place]);
    }
    found += ahead < k;
  }
  return static_cast<double>(found) / static_cast<double>(outputs.rows);
}

}  // namespace systole::nn
