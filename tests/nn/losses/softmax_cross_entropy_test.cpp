#include "host/nn/losses/softmax_cross_entropy.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

// A few roundings of fp32 on values of about one.
constexpr double kFewRoundings = 1e-6;

}  // namespace

TEST_CASE("cross entropy of equal outputs is the logarithm of the classes", "[loss]") {
  const nn::Tensor z{.rows = 2, .row_size = 4, .values = std::vector<float>(8, 3.0f)};
  const std::vector<std::int32_t> labels{0, 3};
  nn::Tensor d_z;
  const nn::Score score = nn::SoftmaxCrossEntropy{}.evaluate(z, labels, &d_z);
  CHECK(std::abs(score.loss - std::log(4.0)) < kFewRoundings);
  CHECK(score.accuracy == 0.5);  // the first of equals is the prediction
  CHECK(d_z.values == std::vector<float>{0.125f - 0.5f, 0.125f, 0.125f, 0.125f,  //
                                         0.125f, 0.125f, 0.125f, 0.125f - 0.5f});
}

TEST_CASE("cross entropy and its gradient agree with fp64", "[loss]") {
  const std::int64_t rows = GENERATE(1, 2, 17), classes = GENERATE(1, 2, 10);
  CAPTURE(rows, classes);
  const nn::Tensor z = random_tensor(rows, classes, 7);
  std::vector<std::int32_t> labels;
  for (std::int64_t r = 0; r < rows; ++r) labels.push_back(static_cast<std::int32_t>(r % classes));
  nn::Tensor d_z;
  const nn::Score score = nn::SoftmaxCrossEntropy{}.evaluate(z, labels, &d_z);
  double loss = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (const float value : z.row(r)) sum += std::exp(double{value});
    loss += std::log(sum) - z.row(r)[labels[r]];
    for (std::int64_t c = 0; c < classes; ++c) {
      const double p = std::exp(double{z.row(r)[c]}) / sum;
      const double expected = (p - (labels[r] == c)) / static_cast<double>(rows);
      CHECK(std::abs(d_z.row(r)[c] - expected) < kFewRoundings);
    }
  }
  CHECK(std::abs(score.loss - loss / static_cast<double>(rows)) < kFewRoundings);
}

TEST_CASE("cross entropy of huge outputs stays finite", "[loss]") {
  const nn::Tensor z{.rows = 1, .row_size = 2, .values = {1e30f, -1e30f}};
  nn::Tensor d_z;
  CHECK(nn::SoftmaxCrossEntropy{}.evaluate(z, std::vector<std::int32_t>{0}, &d_z).loss == 0);
  CHECK(d_z.values == std::vector<float>{0, 0});
}

TEST_CASE("cross entropy refuses labels out of range and counts that differ", "[loss]") {
  const nn::Tensor z{.rows = 1, .row_size = 2, .values = {0, 0}};
  const auto evaluate = [&](std::vector<std::int32_t> labels) {
    return nn::SoftmaxCrossEntropy{}.evaluate(z, labels, nullptr);
  };
  CHECK_THROWS_WITH(evaluate({2}), Catch::Contains("label 2") && Catch::Contains("2 classes"));
  CHECK_THROWS_WITH(evaluate({-1}), Catch::Contains("label -1"));
  CHECK_THROWS_WITH(evaluate({}), Catch::Contains("0 labels"));
  CHECK_THROWS_WITH(evaluate({0, 1}), Catch::Contains("2 labels"));
}

}  // namespace systole::tests
