// Embedding, GRU and attention: values by hand, gradients against finite differences.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "host/nn/layers/attention.h"
#include "host/nn/layers/dense.h"
#include "host/nn/layers/embedding.h"
#include "host/nn/layers/gru.h"
#include "tests/nn/layers/gradient_check.h"
#include "tests/nn/layers/written_layer.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

// A predicate that is false where `live` has a 0.
nn::Value predicate(nn::Value x, const graph::Shape& shape, const std::vector<double>& live) {
  return constant(x.graph(), {.type = {graph::Element::kPred, shape}, .values = live});
}

void spread(WrittenLayer& layer) {
  std::uint64_t seed = 70;
  for (nn::Parameter& parameter : layer.parameters()) {
    const auto size = std::ssize(parameter.value);
    parameter.value = random_tensor(1, size, ++seed).values;
  }
}

// The gradients of a sum of the outputs, each with its own factor.
void check_all_gradients(WrittenLayer& layer, nn::Tensor x) {
  spread(layer);
  const nn::Tensor factors = random_tensor(x.rows, nn::size_of(layer.output_shape()), 3);
  const auto loss = [&] {
    const nn::Tensor y = layer.forward(x);
    double sum = 0;
    for (std::size_t i = 0; i < y.values.size(); ++i) {
      sum += double{y.values[i]} * factors.values[i];
    }
    return sum;
  };
  const auto passed = layer.run(x, factors);
  std::vector<std::vector<float>> gradients;
  for (const nn::Parameter& parameter : layer.parameters()) gradients.push_back(parameter.gradient);
  check_gradient("x", x.values, passed.d_x.values, loss);
  for (std::size_t p = 0; p < gradients.size(); ++p) {
    nn::Parameter& parameter = layer.parameters()[p];
    check_gradient(parameter.name, parameter.value, gradients[p], loss);
  }
}

}  // namespace

TEST_CASE("an embedding copies rows and adds the gradients of repeated numbers", "[embedding]") {
  WrittenLayer embedding(nn::Embedding{.words = 3, .units = 2}, {3});
  nn::Parameter& table = embedding.parameters()[0];
  CHECK(table.name == "layer.table");
  CHECK(std::ranges::all_of(table.value, [](float v) { return std::abs(v) <= 0.05f; }));
  table.value = {1, 2, 3, 4, 5, 6};
  const nn::Tensor numbers{.rows = 1, .row_size = 3, .values = {2, 0, 2}};
  const nn::Tensor d_y{.rows = 1, .row_size = 6, .values = {1, 2, 10, 20, 100, 200}};
  CHECK(embedding.run(numbers, d_y).y.values == std::vector<float>{5, 6, 1, 2, 5, 6});
  CHECK(table.gradient == std::vector<float>{10, 20, 0, 0, 101, 202});
  const nn::Tensor outside{.rows = 1, .row_size = 3, .values = {-1, 3, 1}};
  CHECK(embedding.run(outside, d_y).y.values == std::vector<float>{1, 2, 5, 6, 3, 4});
  CHECK(table.gradient == std::vector<float>{1, 2, 100, 200, 10, 20});
  CHECK_THROWS_WITH(write_layer(nn::Embedding{.words = 0, .units = 2}, {3}),
                    Catch::Contains("0 x 2"));
}

TEST_CASE("two GRU steps agree with Keras' reset_after=True", "[gru]") {
  WrittenLayer gru(nn::Gru{.units = 1, .return_sequences = true}, {2, 1});
  REQUIRE(gru.parameters().size() == 4);
  const std::vector<float> w{0.5f, -0.3f, 0.8f}, b{0.1f, 0.2f, -0.1f};
  const std::vector<float> u{0.4f, 0.7f, -0.6f}, c{-0.2f, 0.3f, 0.25f};
  const std::vector<float>* values[] = {&w, &b, &u, &c};
  for (std::size_t p = 0; p < 4; ++p) gru.parameters()[p].value = *values[p];
  const nn::Tensor x{.rows = 1, .row_size = 2, .values = {0.9f, -1.3f}};
  const nn::Tensor y = gru.forward(x);
  double h = 0;
  for (std::size_t t = 0; t < 2; ++t) {
    const auto part = [&](std::size_t gate) { return double{x.values[t]} * w[gate] + b[gate]; };
    const auto back = [&](std::size_t gate) { return h * u[gate] + c[gate]; };
    const double z = 1 / (1 + std::exp(-(part(0) + back(0))));
    const double r = 1 / (1 + std::exp(-(part(1) + back(1))));
    const double g = std::tanh(part(2) + r * back(2));
    h = z * h + (1 - z) * g;
    CHECK(y.values[t] == Approx(h).epsilon(1e-5));
  }
}

TEST_CASE("a GRU's gradients agree with finite differences, padding included", "[gru]") {
  // The second of two sentences has two words; samples are [3 steps, 4 inputs].
  const auto padded = [](nn::Builder& builder, nn::Value x) {
    if (x.dimension(0) != 2)
      return transpose(gru_states(builder, transpose(x, {1, 0, 2}), 3), {1, 0, 2});
    const nn::Value live = predicate(x, {3, 2}, {1, 1, 1, 1, 1, 0});
    return transpose(gru_states(builder, transpose(x, {1, 0, 2}), 3, live), {1, 0, 2});
  };
  WrittenLayer gru(nn::Layer(padded), {3, 4});
  const nn::Tensor x = random_tensor(2, 12, 2);
  check_all_gradients(gru, x);
  const nn::Tensor states = gru.forward(x);
  for (std::size_t u = 0; u < 3; ++u) CHECK(states.row(1)[6 + u] == states.row(1)[3 + u]);
  const nn::Tensor d_x = gru.run(x, random_tensor(2, 9, 3)).d_x;
  for (std::size_t i = 8; i < 12; ++i) CHECK(d_x.row(1)[i] == 0);
}

TEST_CASE("attention's gradients agree with finite differences over two queries", "[attention]") {
  // A sample is three values of 5 and two queries of 5; the first sentence has two words.
  std::vector<double> live{1, 1, 1, 1, 0, 1};
  const auto layer = [&](bool gives_weights) {
    return nn::Layer([=](nn::Builder& builder, nn::Value x) {
      const std::int64_t rows = x.dimension(0);
      const nn::Value all = transpose(x, {1, 0, 2}), values = take(all, 0, 0, 3);
      const nn::Value there =
          predicate(x, {3, rows}, rows == 2 ? live : std::vector<double>(3 * rows, 1));
      const nn::BahdanauAttention attention(builder,
                                            {.query_size = 5, .value_size = 5, .units = 4});
      std::vector<nn::Value> results;
      for (std::int64_t t = 3; t < 5; ++t) {
        const auto [context, weights] =
            attention(take(all, 0, t), values, attention.keys(values), there);
        results.push_back(gives_weights ? transpose(weights, {1, 0}) : context);
      }
      return concatenate(results, 1);
    });
  };
  WrittenLayer attention(layer(false), {5, 5});
  const nn::Tensor x = random_tensor(2, 25, 2);
  check_all_gradients(attention, x);
  const nn::Tensor d_x = attention.run(x, random_tensor(2, 10, 3)).d_x;
  for (std::size_t i = 10; i < 15; ++i) CHECK(d_x.row(0)[i] == 0);
  WrittenLayer weights(layer(true), {5, 5});
  spread(weights);
  const nn::Tensor w = weights.forward(x);
  for (std::size_t t = 0; t < 2; ++t) {
    CHECK(w.row(0)[3 * t + 2] == 0);
    CHECK(w.row(0)[3 * t] + w.row(0)[3 * t + 1] == Approx(1));
    CHECK(w.row(1)[3 * t] + w.row(1)[3 * t + 1] + w.row(1)[3 * t + 2] == Approx(1));
  }
}

TEST_CASE("a Sequential of embedding, GRU and dense layers agrees with finite differences",
          "[gru]") {
  nn::Sequential model{nn::Embedding{.words = 7, .units = 3},
                       nn::Gru{.units = 4, .return_sequences = true}, nn::Gru{.units = 3},
                       nn::Dense{.units = 3}};
  model.compile({.device = Device::open("cpu"), .input_shape = {4}});
  nn::Tensor numbers = random_tensor(5, 4, 1);
  for (float& number : numbers.values) number = std::floor(3.5f * (number + 1));
  for (float& value : model.parameters()[0]->value) value *= 20;
  check_gradients(model, numbers, cyclic_labels(5, 3));
  CHECK_THROWS_WITH(write_layer(nn::Gru{.units = 2}, {6}), Catch::Contains("not [steps, inputs]"));
  CHECK_THROWS_WITH(write_layer(nn::Gru{}, {6, 1}), Catch::Contains("units is 0"));
}

}  // namespace systole::tests
