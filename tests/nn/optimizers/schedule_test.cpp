#include "host/nn/optimizers/schedule.h"

#include <catch2/catch.hpp>

namespace systole::tests {

TEST_CASE("a constant rate stays constant", "[schedule]") {
  for (const std::int64_t step : {0, 1, 1000}) CHECK(nn::factor(nn::ConstantRate{}, step) == 1);
}

TEST_CASE("exponential decay multiplies by the rate once per `steps`", "[schedule]") {
  const nn::ExponentialDecay smooth{.rate = 0.25, .steps = 10};
  CHECK(smooth.factor(0) == 1);
  CHECK(smooth.factor(5) == Approx(0.5));
  CHECK(smooth.factor(20) == Approx(0.0625));
  const nn::ExponentialDecay stairs{.rate = 0.25, .steps = 10, .staircase = true};
  CHECK(stairs.factor(9) == 1);
  CHECK(stairs.factor(10) == Approx(0.25));
}

TEST_CASE("cosine decay goes from the warmup to the floor", "[schedule]") {
  const nn::CosineDecay schedule{.steps = 100, .floor = 0.2, .warmup = 4};
  CHECK(schedule.factor(0) == Approx(0.25));
  CHECK(schedule.factor(3) == Approx(1));
  CHECK(schedule.factor(4) == Approx(1));
  CHECK(schedule.factor(54) == Approx(0.6));
  CHECK(schedule.factor(29) == Approx(0.2 + 0.8 * 0.5 * (1 + 0.70710678)));
  for (const std::int64_t step : {104, 5000}) CHECK(schedule.factor(step) == Approx(0.2));
}

TEST_CASE("a piecewise constant rate changes at its steps", "[schedule]") {
  const nn::PiecewiseConstant schedule{.boundaries = {10, 20}, .factors = {0.5, 0.125}};
  CHECK(schedule.factor(9) == 1);
  CHECK(schedule.factor(10) == 0.5);
  CHECK(schedule.factor(19) == 0.5);
  CHECK(schedule.factor(20) == 0.125);
  CHECK(schedule.factor(9999) == 0.125);
}

TEST_CASE("a schedule is parsed from a word", "[schedule]") {
  CHECK(nn::factor(nn::parse_schedule("constant"), 7) == 1);
  CHECK(nn::factor(nn::parse_schedule("exponential:0.5:10"), 10) == Approx(0.5));
  CHECK(nn::factor(nn::parse_schedule("cosine:10"), 10) == Approx(0).margin(1e-12));
  CHECK(nn::factor(nn::parse_schedule("cosine:10:0.25"), 10) == Approx(0.25));
  CHECK(nn::factor(nn::parse_schedule("piecewise:5=0.5,9=0.1"), 9) == Approx(0.1));
  CHECK(nn::factor(nn::parse_schedule("exponential:0.5:10:staircase"), 9) == 1);
  CHECK(nn::factor(nn::parse_schedule("cosine:10:0:4"), 0) == Approx(0.25));
}

TEST_CASE("a schedule's description parses to the same schedule", "[schedule]") {
  for (const char* word : {"constant", "exponential:0.96:1000", "exponential:0.5:10:staircase",
                           "cosine:100:0", "cosine:100:0.05:20", "piecewise:5=0.5,9=0.1"}) {
    CHECK(nn::describe(nn::parse_schedule(word)) == word);
  }
  CHECK(nn::describe(nn::parse_schedule("cosine:100")) == "cosine:100:0");
}

TEST_CASE("an unknown schedule is refused with the known forms", "[schedule]") {
  for (const char* word : {"",
                           "linear",
                           "constant:3",
                           "exponential",
                           "exponential:0.5",
                           "exponential:x:10",
                           "exponential:0.5:10.5",
                           "exponential:1.5:10",
                           "exponential:0:10",
                           "exponential:nan:10",
                           "exponential:0.5:0",
                           "exponential:0.5:10:stairs",
                           "cosine",
                           "cosine:0",
                           "cosine:10:2",
                           "cosine:10:0:-1",
                           "cosine:10:0:1:1",
                           "piecewise",
                           "piecewise:",
                           "piecewise:5",
                           "piecewise:5=",
                           "piecewise:5=1=2",
                           "piecewise:0=1",
                           "piecewise:9=1,5=0.5",
                           "piecewise:5=1,5=0.5",
                           "piecewise:5=-1",
                           "piecewise:5=inf",
                           "piecewise:5=0.5,"}) {
    CAPTURE(word);
    CHECK_THROWS_WITH(nn::parse_schedule(word), Catch::Contains("'" + std::string(word) + "'") &&
                                                    Catch::Contains("cosine:STEPS"));
  }
}

}  // namespace systole::tests
