#include "host/nn/layers/initializer.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

namespace systole::tests {

TEST_CASE("initial weights have mean zero and the variance their fans ask for", "[initializer]") {
  using enum nn::Initializer;
  const auto [initializer, variance, limit] =
      GENERATE(std::tuple(kGlorotUniform, 2.0 / 400, std::sqrt(6.0 / 400)),
               std::tuple(kGlorotNormal, 2.0 / 400, 2 * std::sqrt(2.0 / 400) / 0.87962566),
               std::tuple(kHeUniform, 2.0 / 300, std::sqrt(6.0 / 300)),
               std::tuple(kHeNormal, 2.0 / 300, 2 * std::sqrt(2.0 / 300) / 0.87962566));
  std::vector<float> weights(100'000);
  nn::Generator generator(9);
  nn::initialize(weights, initializer, 300, 100, generator);
  double sum = 0, squares = 0;
  for (const float w : weights) {
    sum += w;
    squares += double{w} * double{w};
  }
  const auto count = static_cast<double>(weights.size());
  CHECK(std::abs(sum / count) < 4 * std::sqrt(variance / count));
  CHECK(squares / count == Approx(variance).epsilon(0.02));
  const auto [low, high] = std::ranges::minmax(weights);
  CHECK(high <= limit * 1.000001);
  CHECK(high > 0.98 * limit);
  CHECK(low >= -limit * 1.000001);
}

TEST_CASE("normal weights are more often small than uniform ones", "[initializer]") {
  const auto share_below = [](nn::Initializer initializer, float limit) {
    std::vector<float> weights(10'000);
    nn::Generator generator(9);
    nn::initialize(weights, initializer, 2, 1, generator);  // He: deviation 1
    return static_cast<double>(
               std::ranges::count_if(weights, [&](float w) { return std::abs(w) < limit; })) /
           10'000;
  };
  // P(|x| < 1 / 0.8796 deviations) of a normal cut at 2 / 0.8796, and 1 / sqrt(3) of a uniform one.
  CHECK(share_below(nn::Initializer::kHeNormal, 1) == Approx(0.639).margin(0.02));
  CHECK(share_below(nn::Initializer::kHeUniform, 1) == Approx(0.577).margin(0.02));
}

}  // namespace systole::tests
