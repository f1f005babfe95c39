#include "host/nn/training/score.h"

#include <fmt/format.h>

#include <stdexcept>

namespace systole::nn {
namespace {

void need_label(std::int32_t label, std::int64_t classes) {
  if (label >= 0 && label < classes) return;
  throw std::invalid_argument(
      fmt::format("label {} is outside the model's {} classes", label, classes));
}

}  // namespace

double top_k_accuracy(const Tensor& outputs, std::span<const std::int32_t> labels, std::int64_t k) {
  if (static_cast<std::int64_t>(labels.size()) != outputs.rows || outputs.rows < 1) {
    throw std::invalid_argument(
        fmt::format("the accuracy of {} predictions got {} labels", outputs.rows, labels.size()));
  }
  if (k < 1) throw std::invalid_argument(fmt::format("top {} accuracy: k is not >= 1", k));
  std::int64_t found = 0;
  for (std::int64_t r = 0; r < outputs.rows; ++r) {
    const std::int32_t label = labels[static_cast<std::size_t>(r)];
    need_label(label, outputs.row_size);
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

Tensor one_hot(std::span<const std::int32_t> labels, std::int64_t classes) {
  Tensor targets;
  targets.resize(static_cast<std::int64_t>(labels.size()), classes);
  for (std::size_t r = 0; r < labels.size(); ++r) {
    need_label(labels[r], classes);
    targets.row(static_cast<std::int64_t>(r))[static_cast<std::size_t>(labels[r])] = 1.0f;
  }
  return targets;
}

void need_same_size(const char* loss, const Tensor& outputs, const Tensor& targets) {
  if (outputs.rows == targets.rows && outputs.row_size == targets.row_size && outputs.rows > 0) {
    return;
  }
  throw std::invalid_argument(fmt::format("{} of outputs {} x {} got targets {} x {}", loss,
                                          outputs.rows, outputs.row_size, targets.rows,
                                          targets.row_size));
}

}  // namespace systole::nn
