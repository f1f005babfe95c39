#include "host/graph/functions.h"

#include <bit>
#include <catch2/catch.hpp>

namespace systole::tests {
namespace {

using namespace graph;

constexpr double kMostUlp = 2;
constexpr double kMostUlpOfErfInv = 4;      // the polynomials' own error, and a logarithm
constexpr double kMostUlpOfLogistic = 2.5;  // exp, a sum and a division

// A float's distance from the true value, in units of that value's last place.
double ulps(float found, double expected) {
  const auto nearest = static_cast<float>(expected);
  if (found == nearest || (std::isnan(found) && std::isnan(expected))) return 0;
  const double ulp = std::max(std::ldexp(1.0, std::ilogb(expected) - 23), 0x1p-149);
  return std::fabs(found - expected) / ulp;
}

// Every 977th float of all 2^32, with both signs, infinities and NaN, and the neighbours of 0
// and 1.
template <typename Float, typename Double>
void check_all(Float function, Double exact, double most = kMostUlp) {
  double worst = 0;
  float worst_at = 0;
  for (std::uint64_t bits = 0; bits < 0x1'0000'0000U; bits += 977) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (x != 0 && std::fabs(x) < 0x1p-126f) continue;
    const double expected = exact(static_cast<double>(x));
    if (std::fabs(expected) < 0x1p-126) continue;  // may be 0
    const double error = ulps(function(x), expected);
    if (!(error <= worst)) {
      worst = error;
      worst_at = x;
    }
  }
  INFO("at " << worst_at);
  CHECK(worst <= most);
}

TEST_CASE("exponentials and logarithms are within two units in the last place", "[graph]") {
  check_all([](float x) { return exponential(x); }, [](double x) { return std::exp(x); });
  check_all([](float x) { return exponential_minus_one(x); },
            [](double x) { return std::expm1(x); });
  check_all([](float x) { return logarithm(x); }, [](double x) { return std::log(x); });
  check_all([](float x) { return log_plus_one(x); }, [](double x) { return std::log1p(x); });
}

TEST_CASE("sigmoids are within a few units in the last place", "[graph]") {
  check_all([](float x) { return hyperbolic_tangent(x); }, [](double x) { return std::tanh(x); });
  check_all([](float x) { return logistic(x); }, [](double x) { return 1 / (1 + std::exp(-x)); },
            kMostUlpOfLogistic);
}

TEST_CASE("the inverse error function is within four units in the last place", "[graph]") {
  check_all([](float x) { return inverse_error_function(x); },
            [](double x) { return inverse_error_function(x); }, kMostUlpOfErfInv);
  for (const double y : {-3.7, -1.0, -1e-3, 0.0, 0.4, 2.0}) {  // and its oracle is what it says
    CHECK(inverse_error_function(std::erf(y)) == Approx(y).epsilon(1e-9));
  }
}

TEST_CASE("functions are right at the ends of their ranges", "[graph]") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  CHECK(exponential(-kInfinity) == 0);
  CHECK(exponential(kInfinity) == kInfinity);
  CHECK(exponential(0.0f) == 1);
  CHECK(logarithm(0.0f) == -kInfinity);
  CHECK(logarithm(1.0f) == 0);
  CHECK(std::isnan(logarithm(-1.0f)));
  CHECK(log_plus_one(kInfinity) == kInfinity);
  CHECK(hyperbolic_tangent(-kInfinity) == -1);
  CHECK(logistic(-kInfinity) == 0);
  CHECK(inverse_error_function(1.0f) == kInfinity);
  CHECK(inverse_error_function(-1.0f) == -kInfinity);
  CHECK(std::isnan(inverse_error_function(1.5f)));
  CHECK(std::isnan(inverse_error_function(std::nanf(""))));
}

}  // namespace
}  // namespace systole::tests
