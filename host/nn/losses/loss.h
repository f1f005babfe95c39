#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "host/nn/losses/categorical_cross_entropy.h"
#include "host/nn/losses/mean_squared_error.h"
#include "host/nn/losses/softmax_cross_entropy.h"

namespace systole::nn {

/// Any loss as a value, as compile takes it.
class Loss {
 public:
  Loss() = default;
  Loss(SoftmaxCrossEntropy loss) : loss_(loss) {}  // implicit on purpose: {.loss = ...}
  Loss(CategoricalCrossEntropy loss) : loss_(loss) {}
  Loss(MeanSquaredError loss) : loss_(loss) {}

  /// Errors   std::invalid_argument naming the option
  void check() const {
    if (const auto* loss = std::get_if<CategoricalCrossEntropy>(&loss_)) loss->check();
  }

  /// Every option, so that equal words mean equal losses.
  std::string describe() const {
    return std::visit([](const auto& loss) { return loss.describe(); }, loss_);
  }

  /// Writes the gradient unless d_outputs is null.
  Score evaluate(const Tensor& outputs, std::span<const std::int32_t> labels,
                 Tensor* d_outputs) const {
    return std::visit([&](const auto& loss) { return loss.evaluate(outputs, labels, d_outputs); },
                      loss_);
  }

 private:
  std::variant<SoftmaxCrossEntropy, CategoricalCrossEntropy, MeanSquaredError> loss_;
};

}  // namespace systole::nn
