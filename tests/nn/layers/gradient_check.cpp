#include "tests/nn/layers/gradient_check.h"

#include <catch2/catch.hpp>
#include <cmath>

namespace systole::tests {
namespace {

// Central differences over 2 h: the loss is good to about 1e-7, so their noise is about 1e-7 / h,
// and their curvature error about h^2.
constexpr float kHalfStep = 0x1p-8f;
constexpr double kDifferenceTolerance = 2e-4;

}  // namespace

void check_gradients(nn::Sequential& model, const nn::Tensor& inputs,
                     std::span<const std::int32_t> labels) {
  model.compute_gradients(inputs, labels);
  std::vector<std::vector<float>> gradients;
  for (const nn::Parameter* parameter : model.parameters()) {
    gradients.push_back(parameter->gradient);
  }
  double largest = 0;
  for (std::size_t p = 0; p < gradients.size(); ++p) {
    nn::Parameter& parameter = *model.parameters()[p];
    if (!parameter.trained) continue;
    for (std::size_t i = 0; i < parameter.value.size(); ++i) {
      const float value = parameter.value[i];
      const auto loss_at = [&](float shifted) {
        parameter.value[i] = shifted;
        ++parameter.version;
        return model.compute_gradients(inputs, labels).loss;
      };
      const double slope =
          (loss_at(value + kHalfStep) - loss_at(value - kHalfStep)) / (2 * double{kHalfStep});
      parameter.value[i] = value;
      ++parameter.version;
      CAPTURE(p, parameter.name, i);
      CHECK(std::abs(slope - gradients[p][i]) < kDifferenceTolerance);
      largest = std::max(largest, std::abs(slope));
    }
  }
  CHECK(largest > 100 * kDifferenceTolerance);  // otherwise zero would pass as well
}

std::vector<std::int32_t> cyclic_labels(std::int64_t count, std::int32_t classes) {
  std::vector<std::int32_t> labels;
  for (std::int64_t i = 0; i < count; ++i) labels.push_back(static_cast<std::int32_t>(i % classes));
  return labels;
}

}  // namespace systole::tests
