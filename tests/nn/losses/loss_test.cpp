#include "host/nn/losses/loss.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "host/cpu/program.h"
#include "host/graph/gradient.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

const std::vector<std::int32_t> kLabels{0, 3, 1};

// A few fp32 roundings of values around one.
constexpr double kFewRoundings = 1e-6;

nn::Tensor one_hot(std::span<const std::int32_t> labels, std::int64_t classes) {
  nn::Tensor targets;
  targets.resize(std::ssize(labels), classes);
  for (std::size_t r = 0; r < labels.size(); ++r) {
    targets.row(static_cast<std::int64_t>(r))[labels[r]] = 1.0f;
  }
  return targets;
}

// The loss's gradient with respect to the outputs.
std::vector<float> slopes(const nn::Loss& loss, const nn::Tensor& outputs,
                          const nn::Tensor& targets) {
  graph::Graph graph;
  const graph::Type type{graph::Element::kF32, {outputs.rows, outputs.row_size}};
  const nn::Value y = graph.input("y", type), t = graph.input("t", type);
  const nn::Value found = std::visit([&](const auto& one) { return one(y, t); }, loss);
  graph.output("d", graph::gradients(found, std::vector{y})[0]);
  std::vector<float> d(outputs.values.size());
  const void* inputs[] = {outputs.values.data(), targets.values.data()};
  void* results[] = {d.data()};
  graph::CpuProgram(graph, 1).run(inputs, results);
  return d;
}

nn::Tensor probabilities(std::uint64_t seed) {
  nn::Tensor tensor = random_tensor(3, 4, seed);
  for (std::int64_t r = 0; r < 3; ++r) {
    float sum = 0;
    for (float& value : tensor.row(r)) sum += value = value * value + 0.01f;
    for (float& value : tensor.row(r)) value /= sum;
  }
  return tensor;
}

void check_slopes(const nn::Loss& loss, nn::Tensor outputs, const nn::Tensor& targets) {
  const std::vector<float> found = slopes(loss, outputs, targets);
  for (std::size_t i = 0; i < outputs.values.size(); ++i) {
    const float value = outputs.values[i];
    const auto loss_at = [&](float shifted) {
      outputs.values[i] = shifted;
      return evaluate(loss, outputs, targets).loss;
    };
    const double slope = (loss_at(value + 0x1p-10f) - loss_at(value - 0x1p-10f)) * 0x1p9;
    outputs.values[i] = value;
    CHECK(found[i] == Approx(slope).epsilon(0.01).margin(1e-3));
  }
}

}  // namespace

TEST_CASE("categorical cross entropy of logits and labels is softmax cross entropy", "[loss]") {
  const nn::Tensor z = random_tensor(3, 4, 8);
  const nn::Score score = evaluate(nn::CategoricalCrossEntropy{.from_logits = true}, z, kLabels);
  const nn::Score same = evaluate(nn::SoftmaxCrossEntropy{}, z, kLabels);
  CHECK(score.loss == same.loss);
  CHECK(score.accuracy == same.accuracy);
}

TEST_CASE("categorical cross entropy of probabilities is the mean of -log p", "[loss]") {
  const nn::Tensor p = probabilities(2);
  const double expected =
      -(std::log(p.row(0)[0]) + std::log(p.row(1)[3]) + std::log(p.row(2)[1])) / 3;
  CHECK(evaluate(nn::CategoricalCrossEntropy{}, p, kLabels).loss == Approx(expected));
}

TEST_CASE("a probability of zero costs 16, not infinity, and has no slope", "[loss]") {
  const nn::Tensor p{.rows = 1, .row_size = 2, .values = {0, 1}};
  const nn::Tensor target{.rows = 1, .row_size = 2, .values = {1, 0}};
  CHECK(evaluate(nn::CategoricalCrossEntropy{}, p, target).loss == Approx(-std::log(1e-7)));
  CHECK(slopes(nn::CategoricalCrossEntropy{}, p, target) == std::vector<float>{0, 0});
}

TEST_CASE("label smoothing spreads a share of the target over all classes", "[loss]") {
  const nn::Tensor p = probabilities(2);
  const nn::CategoricalCrossEntropy smooth{.label_smoothing = 0.2f};
  nn::Tensor targets = one_hot(kLabels, 4);
  for (float& t : targets.values) t = 0.8f * t + 0.05f;
  CHECK(evaluate(smooth, p, kLabels).loss ==
        Approx(evaluate(nn::CategoricalCrossEntropy{}, p, targets).loss));
}

TEST_CASE("the gradients of losses agree with finite differences", "[loss]") {
  const nn::Tensor targets = GENERATE(one_hot(kLabels, 4), probabilities(5));
  check_slopes(nn::CategoricalCrossEntropy{.from_logits = true}, random_tensor(3, 4, 8), targets);
  check_slopes(nn::CategoricalCrossEntropy{.label_smoothing = 0.1f}, probabilities(2), targets);
  check_slopes(nn::MeanSquaredError{}, random_tensor(3, 4, 8), targets);
}

TEST_CASE("mean squared error is over all outputs of all rows", "[loss]") {
  const nn::Tensor y{.rows = 2, .row_size = 2, .values = {1, 2, 3, 5}};
  const nn::Tensor t{.rows = 2, .row_size = 2, .values = {1, 4, 0, 5}};
  const nn::Score score = evaluate(nn::MeanSquaredError{}, y, t);
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
  CHECK_THROWS_WITH(evaluate(nn::MeanSquaredError{}, y, random_tensor(3, 5, 1)),
                    Catch::Contains("3 x 4") && Catch::Contains("3 x 5"));
  CHECK_THROWS_WITH(evaluate(nn::CategoricalCrossEntropy{}, y, random_tensor(2, 4, 1)),
                    Catch::Contains("2 x 4"));
  CHECK_THROWS_WITH(evaluate(nn::MeanSquaredError{}, y, std::vector<std::int32_t>{0, -1, 2}),
                    Catch::Contains("label -1"));
  CHECK_THROWS_WITH(nn::CategoricalCrossEntropy{.label_smoothing = 1}.check(),
                    Catch::Contains("label_smoothing"));
}

TEST_CASE("cross entropy of equal outputs is the logarithm of the classes", "[loss]") {
  const nn::Tensor z{.rows = 2, .row_size = 4, .values = std::vector<float>(8, 3.0f)};
  const std::vector<std::int32_t> labels{0, 3};
  const nn::Score score = evaluate(nn::SoftmaxCrossEntropy{}, z, labels);
  CHECK(std::abs(score.loss - std::log(4.0)) < kFewRoundings);
  CHECK(score.accuracy == 0.5);  // the first of equals is the prediction
}

TEST_CASE("cross entropy and its gradient agree with fp64", "[loss]") {
  const std::int64_t rows = GENERATE(1, 2, 17), classes = GENERATE(1, 2, 10);
  CAPTURE(rows, classes);
  const nn::Tensor z = random_tensor(rows, classes, 7);
  const auto labels = cyclic_labels(rows, static_cast<std::int32_t>(classes));
  const auto d_z = slopes(nn::SoftmaxCrossEntropy{}, z, one_hot(labels, classes));
  double loss = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (const float value : z.row(r)) sum += std::exp(double{value});
    loss += std::log(sum) - double{z.row(r)[labels[r]]};
    for (std::int64_t c = 0; c < classes; ++c) {
      const double p = std::exp(double{z.row(r)[c]}) / sum;
      const double expected = (p - (labels[r] == c)) / static_cast<double>(rows);
      CHECK(std::abs(double{d_z[r * classes + c]} - expected) < kFewRoundings);
    }
  }
  const nn::Score score = evaluate(nn::SoftmaxCrossEntropy{}, z, labels);
  CHECK(std::abs(score.loss - loss / static_cast<double>(rows)) < kFewRoundings);
}

TEST_CASE("cross entropy of huge outputs stays finite", "[loss]") {
  const nn::Tensor z{.rows = 1, .row_size = 2, .values = {1e30f, -1e30f}};
  const nn::Tensor target{.rows = 1, .row_size = 2, .values = {1, 0}};
  CHECK(evaluate(nn::SoftmaxCrossEntropy{}, z, target).loss == 0);
  CHECK(slopes(nn::SoftmaxCrossEntropy{}, z, target) == std::vector<float>{0, 0});
}

TEST_CASE("a user's own loss trains a model", "[loss]") {
  nn::Sequential model = small_model(8, 3);
  const nn::OwnLoss absolute{"mean absolute error", [](nn::Value y, nn::Value t) {
                               return mean(abs(y - nn::dense_targets(y, t)), {0, 1});
                             }};
  model.compile({.loss = absolute,
                 .optimizer = nn::Adam{.learning_rate = 0.01f},
                 .device = Device::open("cpu")});
  const auto losses = model.fit(small_data(64, 6, 3), {.epochs = 20, .batch_size = 16}).losses;
  CHECK(losses.back() < 0.7 * losses.front());
}

TEST_CASE("masked cross-entropy leaves padding out of loss, accuracy and gradient", "[loss]") {
  nn::Tensor logits = random_tensor(3, 4, 5);
  const std::vector<std::int32_t> labels{2, 0, 3};
  const nn::MaskedCrossEntropy loss{.padding = 0};
  graph::Graph graph;
  const nn::Value z = graph.input("z", {graph::Element::kF32, {3, 4}});
  const nn::Value t = graph.input("t", {graph::Element::kS32, {3}});
  const nn::Value mean = loss(z, t);
  graph.output("loss", mean);
  graph.output("accuracy", nn::accuracy(z, t, 0));
  graph.output("d", graph::gradients(mean, std::vector{z})[0]);
  graph::CpuProgram program(graph, 1);
  struct Found {
    float loss = 0, accuracy = 0;
    std::vector<float> d = std::vector<float>(12);
    bool operator==(const Found&) const = default;
  };
  const auto run = [&] {
    Found found;
    const void* inputs[] = {logits.values.data(), labels.data()};
    void* results[] = {&found.loss, &found.accuracy, found.d.data()};
    program.run(inputs, results);
    return found;
  };
  const Found found = run();
  double expected = 0, right = 0;
  for (const std::int64_t r : {0, 2}) {
    const auto row = logits.row(r);
    const auto label = static_cast<std::size_t>(labels[r]);
    double sum = 0;
    for (const float value : row) sum += std::exp(double{value});
    expected += std::log(sum) - row[label];
    right += row[label] == *std::ranges::max_element(row);
    for (std::size_t c = 0; c < 4; ++c) {
      const double slope = (std::exp(double{row[c]}) / sum - (c == label)) / 2;
      CHECK(found.d[static_cast<std::size_t>(4 * r) + c] == Approx(slope).margin(kFewRoundings));
    }
  }
  CHECK(found.loss == Approx(expected / 2).margin(kFewRoundings));
  CHECK(found.accuracy == right / 2);
  for (std::size_t c = 4; c < 8; ++c) CHECK(found.d[c] == 0);
  std::ranges::fill(logits.row(1), 1e4f);
  CHECK(run() == found);
}

}  // namespace systole::tests
