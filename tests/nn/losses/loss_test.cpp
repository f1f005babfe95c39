#include <catch2/catch.hpp>
#include <cmath>

#include "host/nn/losses/categorical_cross_entropy.h"
#include "host/nn/losses/mean_squared_error.h"
#include "host/nn/losses/softmax_cross_entropy.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

const std::vector<std::int32_t> kLabels{0, 3, 1};

nn::Tensor probabilities(std::uint64_t seed) {
  nn::Tensor tensor = random_tensor(3, 4, seed);
  for (std::int64_t r = 0; r < 3; ++r) {
    float sum = 0;
    for (float& value : tensor.row(r)) sum += value = value * value + 0.01f;
    for (float& value : tensor.row(r)) value /= sum;
  }
  return tensor;
}

template <typename Loss>
void check_slopes(const Loss& loss, nn::Tensor outputs, const nn::Tensor& targets) {
  nn::Tensor slopes;
  loss.evaluate(outputs, targets, &slopes);
  for (std::size_t i = 0; i < outputs.values.size(); ++i) {
    const float value = outputs.values[i];
    const auto loss_at = [&](float shifted) {
      outputs.values[i] = shifted;
      return loss.evaluate(outputs, targets, nullptr).loss;
    };
    const double slope = (loss_at(value + 0x1p-10f) - loss_at(value - 0x1p-10f)) * 0x1p9;
    outputs.values[i] = value;
    CHECK(slopes.values[i] == Approx(slope).epsilon(0.01).margin(1e-3));
  }
}

}  // namespace

TEST_CASE("categorical cross entropy of logits and labels is softmax cross entropy", "[loss]") {
  const nn::Tensor z = random_tensor(3, 4, 8);
  nn::Tensor d_z, d_same;
  const nn::Score score =
      nn::CategoricalCrossEntropy{.from_logits = true}.evaluate(z, kLabels, &d_z);
  const nn::Score same = nn::SoftmaxCrossEntropy{}.evaluate(z, kLabels, &d_same);
  CHECK(score.loss == Approx(same.loss));
  CHECK(score.accuracy == same.accuracy);
  for (std::size_t i = 0; i < 12; ++i) {
    CHECK(d_z.values[i] == Approx(d_same.values[i]).margin(1e-7));
  }
}

TEST_CASE("categorical cross entropy of probabilities is the mean of -log p", "[loss]") {
  const nn::Tensor p = probabilities(2);
  const double expected =
      -(std::log(p.row(0)[0]) + std::log(p.row(1)[3]) + std::log(p.row(2)[1])) / 3;
  CHECK(nn::CategoricalCrossEntropy{}.evaluate(p, kLabels, nullptr).loss == Approx(expected));
}

TEST_CASE("a probability of zero costs 16, not infinity, and has no slope", "[loss]") {
  const nn::Tensor p{.rows = 1, .row_size = 2, .values = {0, 1}};
  nn::Tensor d_p;
  const std::vector<std::int32_t> label{0};
  CHECK(nn::CategoricalCrossEntropy{}.evaluate(p, label, &d_p).loss == Approx(-std::log(1e-7)));
  CHECK(d_p.values == std::vector<float>{0, 0});
}

TEST_CASE("label smoothing spreads a share of the target over all classes", "[loss]") {
  const nn::Tensor p = probabilities(2);
  const nn::CategoricalCrossEntropy smooth{.label_smoothing = 0.2f};
  nn::Tensor targets = nn::one_hot(kLabels, 4);
  for (float& t : targets.values) t = 0.8f * t + 0.05f;
  CHECK(smooth.evaluate(p, kLabels, nullptr).loss ==
        Approx(nn::CategoricalCrossEntropy{}.evaluate(p, targets, nullptr).loss));
}

TEST_CASE("the slopes of losses agree with finite differences", "[loss]") {
  const nn::Tensor targets = GENERATE(nn::one_hot(kLabels, 4), probabilities(5));
  check_slopes(nn::CategoricalCrossEntropy{.from_logits = true}, random_tensor(3, 4, 8), targets);
  check_slopes(nn::CategoricalCrossEntropy{.label_smoothing = 0.1f}, probabilities(2), targets);
  check_slopes(nn::MeanSquaredError{}, random_tensor(3, 4, 8), targets);
}

TEST_CASE("mean squared error is over all outputs of all rows", "[loss]") {
  const nn::Tensor y{.rows = 2, .row_size = 2, .values = {1, 2, 3, 5}};
  const nn::Tensor t{.rows = 2, .row_size = 2, .values = {1, 4, 0, 5}};
  const nn::Score score = nn::MeanSquaredError{}.evaluate(y, t, nullptr);
  CHECK(score.loss == (0.0 + 4 + 9 + 0) / 4);
  CHECK(score.accuracy == 1);
}

TEST_CASE("top k accuracy counts labels among the k largest, the first of equals", "[loss]") {
  const nn::Tensor y{.rows = 2, .row_size = 3, .values = {0.1f, 0.5f, 0.4f, 7, 7, 7}};
  const std::vector<std::int32_t> labels{2, 1};
  CHECK(nn::top_k_accuracy(y, labels, 1) == 0);
  CHECK(nn::top_k_accuracy(y, labels, 2) == 1);
  CHECK(nn::top_k_accuracy(y, std::vector<std::int32_t>{0, 2}, 2) == 0);
  CHECK(nn::top_k_accuracy(y, std::vector<std::int32_t>{0, 2}, 3) == 1);
  CHECK_THROWS_WITH(nn::top_k_accuracy(y, labels, 0), Catch::Contains("top 0"));
  CHECK_THROWS_WITH(nn::top_k_accuracy(y, std::vector<std::int32_t>{0, 3}, 1),
                    Catch::Contains("label 3"));
  CHECK_THROWS_WITH(nn::top_k_accuracy(y, std::vector<std::int32_t>{0}, 1),
                    Catch::Contains("1 labels"));
}

TEST_CASE("losses refuse targets of another size and labels out of range", "[loss]") {
  const nn::Tensor y = random_tensor(3, 4, 1);
  CHECK_THROWS_WITH(nn::MeanSquaredError{}.evaluate(y, random_tensor(3, 5, 1), nullptr),
                    Catch::Contains("3 x 4") && Catch::Contains("3 x 5"));
  CHECK_THROWS_WITH(nn::CategoricalCrossEntropy{}.evaluate(y, random_tensor(2, 4, 1), nullptr),
                    Catch::Contains("2 x 4"));
  CHECK_THROWS_WITH(
      nn::MeanSquaredError{}.evaluate(y, std::vector<std::int32_t>{0, -1, 2}, nullptr),
      Catch::Contains("label -1"));
  CHECK_THROWS_WITH(nn::CategoricalCrossEntropy{.label_smoothing = 1}.check(),
                    Catch::Contains("label_smoothing"));
}

}  // namespace systole::tests
