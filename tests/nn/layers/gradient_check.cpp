#include "tests/nn/layers/gradient_check.h"

#include <catch2/catch.hpp>
#include <cmath>

namespace systole::tests {
namespace {

// Differences over h and 2 h, combined so that the error is about h^4 times the fifth derivative;
// the noise of the losses is about 1e-7 / h.
struct Differences {
  float step = 0x1p-5f;
  double tolerance = 1e-4;
};
constexpr Differences kBesideKinks{.step = 0x1p-9f, .tolerance = 2e-4};

double slope_at(float& value, float step, const std::function<double()>& loss) {
  const float kept = value;
  const auto difference = [&](float distance) {
    value = kept + distance;
    const double above = loss();
    value = kept - distance;
    return above - loss();
  };
  const double slope = (8 * difference(step) - difference(2 * step)) / (12 * double{step});
  value = kept;
  return slope;
}

// Returns the largest slope.
double compare(const std::string& name, std::span<float> values, std::vector<float> gradient,
               const std::function<double()>& loss, const Differences& differences = {}) {
  REQUIRE(gradient.size() == values.size());
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double slope = slope_at(values[i], differences.step, loss);
    CAPTURE(name, i, slope, gradient[i]);
    CHECK(std::abs(slope - gradient[i]) < differences.tolerance);
    largest = std::max(largest, std::abs(slope));
  }
  return largest;
}

}  // namespace

void check_gradient(const std::string& name, std::span<float> values,
                    const std::vector<float>& gradient, const std::function<double()>& loss) {
  CAPTURE(name);
  CHECK(compare(name, values, gradient, loss) > 5e-4);  // otherwise zero would pass as well
}

void check_gradients(std::span<nn::Parameter* const> parameters,
                     const std::function<double()>& loss) {
  for (nn::Parameter* parameter : parameters) {
    const auto changed = [&] {
      ++parameter->version;
      return loss();
    };
    check_gradient(parameter->name, parameter->value, parameter->gradient, changed);
    ++parameter->version;
  }
}

void check_gradients(nn::Sequential& model, const nn::Tensor& inputs,
                     std::span<const std::int32_t> labels) {
  double largest = 0;
  for (nn::Parameter* parameter : model.parameters()) {
    if (!parameter->trained) continue;
    const auto loss = [&] {
      ++parameter->version;
      return model.compute_gradients(inputs, labels).loss;
    };
    loss();
    const auto gradient = parameter->gradient;
    largest =
        std::max(largest, compare(parameter->name, parameter->value, gradient, loss, kBesideKinks));
    ++parameter->version;
  }
  CHECK(largest > 0.02);  // otherwise zero would pass as well
}

}  // namespace systole::tests
