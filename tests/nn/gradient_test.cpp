#include <catch2/catch.hpp>
#include <cmath>

#include "host/nn/dense.h"
#include "host/nn/flatten.h"
#include "host/nn/relu.h"
#include "tests/nn/small_model.h"

namespace systole::tests {
namespace {

// Central differences over 2 h: the loss is good to about 1e-7, so their noise is about 1e-7 / h,
// and their curvature error about h^2.
constexpr float kHalfStep = 0x1p-8f;
constexpr double kDifferenceTolerance = 2e-4;

}  // namespace

TEST_CASE("every gradient agrees with finite differences", "[gradient]") {
  const std::int64_t rows = GENERATE(1, 5);
  CAPTURE(rows);
  nn::Sequential model{nn::Flatten{}, nn::Dense{.units = 7}, nn::Relu{}, nn::Dense{.units = 5},
                       nn::Dense{.units = 3}};
  model.compile({.device = Device::open("cpu"),
                 .precision = DataType::kFp32,
                 .input_shape = {2, 3, 1},
                 .seed = 4});
  // Small inputs and biases of +-1 keep every ReLU firmly on or off: at the kink there is no slope.
  nn::Tensor inputs = random_tensor(rows, 6, 21);
  for (float& value : inputs.values) value *= 0.2f;
  auto& bias = model.parameters()[1]->value;
  for (std::size_t u = 0; u < bias.size(); ++u) bias[u] = u % 3 == 1 ? -1.0f : 1.0f;
  std::vector<std::int32_t> labels;
  for (std::int64_t r = 0; r < rows; ++r) labels.push_back(static_cast<std::int32_t>(r % 3));

  model.compute_gradients(inputs, labels);
  std::vector<std::vector<float>> gradients;
  for (const nn::Parameter* parameter : model.parameters()) {
    gradients.push_back(parameter->gradient);
  }
  REQUIRE(gradients.size() == 6);
  double largest = 0;
  for (std::size_t p = 0; p < gradients.size(); ++p) {
    nn::Parameter& parameter = *model.parameters()[p];
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
  CHECK(largest > 100 * kDifferenceTolerance);  // else zero would have passed, too
}

}  // namespace systole::tests
