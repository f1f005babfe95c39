#include "host/nn/training/training.h"

#include <fmt/format.h>

namespace systole::nn {
namespace {

std::string words(const Sgd& sgd) {
  std::string text =
      fmt::format("sgd, learning rate {}, momentum {}", sgd.learning_rate, sgd.momentum);
  if (sgd.nesterov) text += ", nesterov";
  if (sgd.weight_decay != 0) text += fmt::format(", weight decay {}", sgd.weight_decay);
  return text;
}

std::string words(const Adam& adam) {
  const Adam usual;
  std::string text = fmt::format("adam, learning rate {}", adam.learning_rate);
  if (adam.beta1 != usual.beta1) text += fmt::format(", beta1 {}", adam.beta1);
  if (adam.beta2 != usual.beta2) text += fmt::format(", beta2 {}", adam.beta2);
  if (adam.epsilon != usual.epsilon) text += fmt::format(", epsilon {}", adam.epsilon);
  if (adam.weight_decay != 0) text += fmt::format(", weight decay {}", adam.weight_decay);
  return text;
}

}  // namespace

std::string describe(const Optimizer& optimizer) {
  return std::visit([](const auto& options) { return words(options); }, optimizer);
}

}  // namespace systole::nn
