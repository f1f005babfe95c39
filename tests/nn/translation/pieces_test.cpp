// The translator's parts one by one: their gradients against finite differences, and by hand where
// a hand can.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "host/nn/layers/attention.h"
#include "host/nn/layers/embedding.h"
#include "host/nn/layers/gru.h"
#include "host/nn/losses/masked_cross_entropy.h"
#include "host/nn/training/updates.h"
#include "host/nn/translation/bleu.h"
#include "tests/nn/translation/gradient_check.h"

namespace systole::tests {
namespace {

std::vector<float> random_values(std::int64_t count, std::uint64_t seed) {
  std::vector<float> values(static_cast<std::size_t>(count));
  nn::Generator generator(seed);
  for (float& value : values) value = generator.uniform(-1, 1);
  return values;
}

void spread(std::span<nn::Parameter* const> parameters) {
  std::uint64_t seed = 70;
  for (nn::Parameter* parameter : parameters) {
    parameter->value = random_values(std::ssize(parameter->value), ++seed);
    ++parameter->version;
  }
}

// A loss whose gradient is known: the sum of factor times value.
double weighted_sum(std::span<const float> values, std::span<const float> factors) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += double{values[i]} * factors[i];
  return sum;
}

nn::Multiplier cpu_multiplier() { return {Device::open("cpu"), DataType::kFp32}; }

}  // namespace

TEST_CASE("an embedding copies rows, and adds gradients of repeated words", "[embedding]") {
  nn::Generator generator(1);
  nn::Embedding embedding("words", 3, 2, generator);
  nn::Parameter& table = embedding.parameters()[0];
  CHECK(std::ranges::all_of(table.value, [](float v) { return std::abs(v) <= 0.05f; }));
  table.value = {1, 2, 3, 4, 5, 6};
  table.gradient.assign(6, 99);
  const std::vector<std::int32_t> numbers{2, 0, 2};
  std::vector<float> y(6);
  embedding.forward(numbers, y);
  CHECK(y == std::vector<float>{5, 6, 1, 2, 5, 6});
  embedding.backward(numbers, std::vector<float>{1, 2, 10, 20, 100, 200});
  CHECK(table.gradient == std::vector<float>{10, 20, 0, 0, 101, 202});
  CHECK_THROWS_WITH(embedding.forward(std::vector<std::int32_t>{3}, y),
                    Catch::Contains("no word 3: its table has 3"));
  CHECK_THROWS_WITH(embedding.forward(std::vector<std::int32_t>{-1}, y), Catch::Contains("-1"));
  CHECK_THROWS_WITH(nn::Embedding("words", 0, 2, generator), Catch::Contains("0 x 2"));
}

TEST_CASE("one GRU step is Keras' with reset_after", "[gru]") {
  nn::Multiplier multiplier = cpu_multiplier();
  nn::Generator generator(1);
  nn::Gru gru("gru", 1, 1, generator);
  const auto parameters = gru.parameters();
  REQUIRE(parameters.size() == 4);
  const float w[] = {0.5f, -0.3f, 0.8f}, b[] = {0.1f, 0.2f, -0.1f};
  const float u[] = {0.4f, 0.7f, -0.6f}, c[] = {-0.2f, 0.3f, 0.25f};
  const float* values[] = {w, b, u, c};
  for (std::size_t p = 0; p < 4; ++p) parameters[p]->value.assign(values[p], values[p] + 3);
  const std::vector<float> x{0.9f, -1.3f};
  gru.forward(multiplier, 1, x, std::vector<std::uint8_t>{1, 1});
  double h = 0;
  for (std::size_t t = 0; t < 2; ++t) {
    const auto part = [&](std::size_t gate) { return double{x[t]} * w[gate] + b[gate]; };
    const auto back = [&](std::size_t gate) { return h * u[gate] + c[gate]; };
    const double z = 1 / (1 + std::exp(-(part(0) + back(0))));
    const double r = 1 / (1 + std::exp(-(part(1) + back(1))));
    const double g = std::tanh(part(2) + r * back(2));
    h = z * h + (1 - z) * g;
    CHECK(gru.states().values[t + 1] == Approx(h).epsilon(1e-5));
  }
}

TEST_CASE("a GRU's gradients agree with finite differences, padding included", "[gru]") {
  constexpr std::int64_t kRows = 2, kSteps = 3, kInputs = 4, kUnits = 3;
  nn::Multiplier multiplier = cpu_multiplier();
  nn::Generator generator(1);
  nn::Gru gru("gru", kInputs, kUnits, generator);
  spread(gru.parameters());
  std::vector<float> x = random_values(kSteps * kRows * kInputs, 2);
  const std::vector<float> factors = random_values(kSteps * kRows * kUnits, 3);
  const std::vector<std::uint8_t> live{1, 1, 1, 1, 1, 0};  // the second sentence has two words
  const auto states = [&] { return std::span(gru.states().values).subspan(kRows * kUnits); };
  const auto loss = [&] {
    gru.forward(multiplier, kRows, x, live);
    return weighted_sum(states(), factors);
  };
  loss();
  for (std::size_t u = 0; u < kUnits; ++u) {  // past its end a sentence keeps its state
    CHECK(states()[5 * kUnits + u] == states()[3 * kUnits + u]);
  }
  std::vector<float> d_x(x.size());
  gru.backward(multiplier, x, live, factors, d_x);
  check_gradient("x", x, d_x, loss);
  check_gradients(gru.parameters(), loss);
  for (std::size_t i = 5 * kInputs; i < 6 * kInputs; ++i) CHECK(d_x[i] == 0);
}

TEST_CASE("attention's gradients agree with finite differences over two steps", "[attention]") {
  constexpr std::int64_t kRows = 2, kSteps = 3, kQueries = 2;
  constexpr std::int64_t kQuerySize = 3, kValueSize = 5, kUnits = 4;
  nn::Multiplier multiplier = cpu_multiplier();
  nn::Generator generator(1);
  nn::BahdanauAttention attention(
      {.name = "a", .query_size = kQuerySize, .value_size = kValueSize, .units = kUnits},
      generator);
  spread(attention.parameters());
  std::vector<float> values = random_values(kSteps * kRows * kValueSize, 2);
  std::vector<float> queries = random_values(kQueries * kRows * kQuerySize, 3);
  const std::vector<float> factors = random_values(kQueries * kRows * kValueSize, 4);
  const std::vector<std::uint8_t> live{1, 1, 1, 1, 0, 1};  // the first sentence has two words
  const auto query = [&](std::int64_t t) {
    return std::span(queries).subspan(static_cast<std::size_t>(t * kRows * kQuerySize),
                                      kRows * kQuerySize);
  };
  std::vector<float> contexts(factors.size());
  const std::size_t context_size = kRows * kValueSize;
  const auto loss = [&] {
    attention.start(multiplier, kQueries, kRows, values, live);
    for (std::int64_t t = 0; t < kQueries; ++t) {
      attention.step(
          multiplier, t, query(t),
          std::span(contexts).subspan(static_cast<std::size_t>(t) * context_size, context_size));
    }
    return weighted_sum(contexts, factors);
  };
  loss();
  for (std::int64_t t = 0; t < kQueries; ++t) {
    const auto w = attention.weights(t);
    CHECK(w[4] == 0);
    CHECK(w[0] + w[2] == Approx(1));
    CHECK(w[1] + w[3] + w[5] == Approx(1));
  }
  std::vector<float> d_queries(queries.size()), d_values(values.size());
  for (std::int64_t t = kQueries - 1; t >= 0; --t) {
    const auto offset = static_cast<std::size_t>(t);
    attention.step_back(multiplier, t,
                        std::span(factors).subspan(offset * context_size, context_size),
                        std::span(d_queries).subspan(offset * query(0).size(), query(0).size()));
  }
  attention.find_gradients(multiplier, queries, d_values);
  check_gradient("queries", queries, d_queries, loss);
  check_gradient("values", values, d_values, loss);
  check_gradients(attention.parameters(), loss);
  for (std::size_t i = 4 * kValueSize; i < 5 * kValueSize; ++i) CHECK(d_values[i] == 0);
}

TEST_CASE("cross entropy leaves padding out of loss, accuracy and gradient",
          "[masked_cross_entropy]") {
  nn::Tensor logits{.rows = 3, .row_size = 4, .values = random_values(12, 5)};
  const std::vector<std::int32_t> labels{2, 0, 3};
  const nn::MaskedCrossEntropy loss{.padding = 0};
  nn::Tensor d_logits;
  const nn::WordScore score = loss.evaluate(logits, labels, &d_logits);
  CHECK(score.words == 2);
  double expected = 0;
  for (const std::int64_t r : {0, 2}) {
    double sum = 0;
    for (const float z : logits.row(r)) sum += std::exp(double{z});
    expected += std::log(sum) - logits.row(r)[static_cast<std::size_t>(labels[r])];
  }
  CHECK(score.loss == Approx(expected / 2).epsilon(1e-6));
  for (const float d : d_logits.row(1)) CHECK(d == 0);
  check_gradient("logits", logits.values, d_logits.values,
                 [&] { return loss.evaluate(logits, labels, nullptr).loss; });
  std::ranges::fill(logits.row(1), 1e4f);
  CHECK(loss.evaluate(logits, labels, nullptr).loss == score.loss);

  CHECK_THROWS_WITH(loss.evaluate(logits, std::vector<std::int32_t>{0, 0, 0}, nullptr),
                    Catch::Contains("all padding"));
  CHECK_THROWS_WITH(loss.evaluate(logits, std::vector<std::int32_t>{0, 4, 1}, nullptr),
                    Catch::Contains("label 4"));
  CHECK_THROWS_WITH(loss.evaluate(logits, std::vector<std::int32_t>{1}, nullptr),
                    Catch::Contains("got 1 labels"));
}

TEST_CASE("BLEU agrees with a hand calculation", "[bleu]") {
  using Sentences = std::vector<std::vector<std::int32_t>>;
  // Six words of five; matches: 1, 2, 3, 5 of 1 2 3 3 5 6 -> 4 of 6 (3 counts once);
  // pairs 12, 23 of 5; triples 123 of 4; fours 0 of 3. The last three get 1 more on both sides.
  const nn::Bleu score = nn::bleu(Sentences{{1, 2, 3, 3, 5, 6}}, Sentences{{1, 2, 3, 4, 5}});
  CHECK(score.precisions[0] == Approx(4.0 / 6));
  CHECK(score.precisions[1] == Approx(3.0 / 6));
  CHECK(score.precisions[2] == Approx(2.0 / 5));
  CHECK(score.precisions[3] == Approx(1.0 / 4));
  CHECK(score.brevity_penalty == 1);
  CHECK(score.score == Approx(100 * std::pow(4.0 / 6 * 0.5 * 0.4 * 0.25, 0.25)));

  const nn::Bleu brief = nn::bleu(Sentences{{1, 2}, {7}}, Sentences{{1, 2, 3}, {7, 8, 9}});
  CHECK(brief.brevity_penalty == Approx(std::exp(-1.0)));
  CHECK(nn::bleu(Sentences{{4}}, Sentences{{5}}).score == 0);
  CHECK(nn::bleu(Sentences{{}}, Sentences{{5}}).score == 0);
  CHECK_THROWS_WITH(nn::bleu({}, {}), Catch::Contains("0 translations"));
  CHECK_THROWS_WITH(nn::bleu(Sentences{{1}}, {}), Catch::Contains("0 references"));
}

}  // namespace systole::tests
