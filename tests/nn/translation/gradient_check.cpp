#include "tests/nn/translation/gradient_check.h"

#include <catch2/catch.hpp>
#include <cmath>

namespace systole::tests {
namespace {

// Differences over h and 2 h, combined so that the error is about h^4 times the fifth derivative;
// the noise of the losses is about 1e-7 / h.
constexpr float kStep = 0x1p-5f;
constexpr double kDifferenceTolerance = 1e-4;

double slope_at(float& value, const std::function<double()>& loss) {
  const float kept = value;
  const auto difference = [&](float step) {
    value = kept + step;
    const double above = loss();
    value = kept - step;
    return above - loss();
  };
  const double slope = (8 * difference(kStep) - difference(2 * kStep)) / (12 * double{kStep});
  value = kept;
  return slope;
}

}  // namespace

void check_gradient(const std::string& name, std::span<float> values,
                    std::span<const float> gradient, const std::function<double()>& loss) {
  REQUIRE(gradient.size() == values.size());
  const std::vector<float> found(gradient.begin(), gradient.end());
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double slope = slope_at(values[i], loss);
    CAPTURE(name, i, slope, found[i]);
    CHECK(std::abs(slope - found[i]) < kDifferenceTolerance);
    largest = std::max(largest, std::abs(slope));
  }
  CAPTURE(name);
  CHECK(largest > 5 * kDifferenceTolerance);  // otherwise zero would pass as well
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

}  // namespace systole::tests
