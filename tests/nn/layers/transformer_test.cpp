// The layers of a transformer: values by hand, gradients against finite differences.
#include <catch2/catch.hpp>
#include <cmath>

#include "host/nn/layers/add.h"
#include "host/nn/layers/dense.h"
#include "host/nn/layers/embedding.h"
#include "host/nn/layers/flatten.h"
#include "host/nn/layers/layer_normalization.h"
#include "host/nn/layers/multi_head_attention.h"
#include "host/nn/layers/position_embedding.h"
#include "host/nn/layers/tied_dense.h"
#include "tests/nn/layers/gradient_check.h"
#include "tests/nn/layers/written_layer.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

void spread(WrittenLayer& layer) {
  std::uint64_t seed = 70;
  for (nn::Parameter& parameter : layer.parameters()) {
    const auto size = std::ssize(parameter.value);
    parameter.value = random_tensor(1, size, ++seed).values;
  }
}

// The gradients of a sum of the outputs, each with its own factor, of spread parameters.
void check_all_gradients(const nn::Layer& made, const nn::Shape& sample, std::int64_t rows = 2) {
  WrittenLayer layer(made, sample);
  spread(layer);
  nn::Tensor x = random_tensor(rows, nn::size_of(sample), 2);
  const nn::Tensor factors = random_tensor(rows, nn::size_of(layer.output_shape()), 3);
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
    if (parameter.name == "layer.key.bias") continue;  // the same for all keys: no share changes
    check_gradient(parameter.name, parameter.value, gradients[p], loss);
  }
}

}  // namespace

TEST_CASE("layer normalisation gives each place mean beta and deviation gamma",
          "[layer_normalization]") {
  WrittenLayer layer(nn::LayerNormalization{.epsilon = 1e-6f}, {3, 8});
  REQUIRE(layer.parameters().size() == 2);
  for (float& gamma : layer.parameters()[0].value) gamma = 2;
  for (float& beta : layer.parameters()[1].value) beta = 5;
  const nn::Tensor y = layer.forward(random_tensor(2, 24, 4));
  for (std::size_t place = 0; place < 6; ++place) {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      const double distance = y.values[8 * place + i] - 5.0;
      sum += distance;
      squares += distance * distance;
    }
    CHECK(sum / 8 == Approx(0).margin(1e-5));
    CHECK(squares / 8 == Approx(4).epsilon(1e-3));
  }
  CHECK_THROWS_WITH(write_layer(nn::LayerNormalization{.epsilon = 0}, {4}),
                    Catch::Contains("epsilon 0 is not > 0"));
}

TEST_CASE("layer normalisation's gradients agree with finite differences",
          "[layer_normalization]") {
  check_all_gradients(nn::LayerNormalization{}, {3, 5});
}

TEST_CASE("GELU is x times the share of a normal distribution below x, with its gradient",
          "[gelu]") {
  WrittenLayer layer(nn::Gelu{}, {4});
  const nn::Tensor x{.rows = 1, .row_size = 4, .values = {-2.0f, 0.0f, 0.5f, 3.0f}};
  const nn::Tensor y = layer.forward(x);
  for (std::size_t i = 0; i < 4; ++i) {
    const double v = x.values[i];
    CHECK(y.values[i] == Approx(v * std::erfc(-v / std::sqrt(2.0)) / 2).margin(1e-7));
  }
  check_all_gradients(nn::Gelu{}, {3, 5});
}

TEST_CASE("causal attention's first place has its own value, and later places change none before",
          "[multi_head_attention]") {
  WrittenLayer layer(nn::MultiHeadAttention{.heads = 2}, {3, 4});
  spread(layer);
  REQUIRE(layer.parameters().size() == 8);
  const nn::Tensor x = random_tensor(1, 12, 5);
  nn::Tensor other = x;
  for (std::size_t i = 8; i < 12; ++i) other.values[i] += 1;
  const nn::Tensor y = layer.forward(x), changed = layer.forward(other);
  for (std::size_t i = 0; i < 8; ++i) CHECK(y.values[i] == changed.values[i]);
  CHECK(y.values[8] != changed.values[8]);
  const auto at = [&](std::size_t parameter, std::size_t i) {
    return double{layer.parameters()[parameter].value[i]};
  };
  for (std::size_t column = 0; column < 4; ++column) {
    double expected = at(7, column);
    for (std::size_t j = 0; j < 4; ++j) {
      double value = at(5, j);
      for (std::size_t i = 0; i < 4; ++i) value += x.values[i] * at(4, 4 * i + j);
      expected += value * at(6, 4 * j + column);
    }
    CHECK(y.values[column] == Approx(expected).epsilon(1e-5));
  }
}

TEST_CASE("attention's gradients of every head agree with finite differences",
          "[multi_head_attention]") {
  const bool causal = GENERATE(true, false);
  CAPTURE(causal);
  check_all_gradients(nn::MultiHeadAttention{.heads = 2, .causal = causal}, {3, 4});
  check_all_gradients(nn::MultiHeadAttention{.heads = 1, .causal = causal}, {2, 3});
}

TEST_CASE("attention refuses images, and heads that do not divide its units",
          "[multi_head_attention]") {
  CHECK_THROWS_WITH(write_layer(nn::MultiHeadAttention{}, {3, 4, 1}),
                    Catch::Contains("not [steps, units]"));
  CHECK_THROWS_WITH(write_layer(nn::MultiHeadAttention{.heads = 3}, {3, 4}),
                    Catch::Contains("3 heads do not divide 4 units"));
}

TEST_CASE("Add adds its chain's result to the sample, and its gradients agree", "[add]") {
  WrittenLayer layer(nn::Add{nn::Dense{.units = 3}, nn::Gelu{}}, {3});
  REQUIRE(layer.parameters().size() == 2);
  CHECK(layer.parameters()[0].name == "layer.0.dense.weight");
  const nn::Tensor x = random_tensor(1, 3, 1);
  for (nn::Parameter& parameter : layer.parameters()) {
    for (float& value : parameter.value) value = 0;
  }
  CHECK(layer.forward(x).values == x.values);
  check_all_gradients(nn::Add{nn::Dense{.units = 4}, nn::Gelu{}, nn::Dense{.units = 3}}, {2, 3});
  CHECK_THROWS_WITH(write_layer(nn::Add{nn::Dense{.units = 2}}, {3}),
                    Catch::Contains("the chain makes 2 of a sample of 3"));
  CHECK_THROWS_WITH(write_layer(nn::Add{}, {3}), Catch::Contains("without layers"));
}

TEST_CASE("positions have a trained row each, whose gradient adds up the samples'",
          "[position_embedding]") {
  check_all_gradients(nn::PositionEmbedding{}, {3, 2}, 3);
  CHECK_THROWS_WITH(write_layer(nn::PositionEmbedding{}, {3}),
                    Catch::Contains("not [steps, units]"));
}

TEST_CASE("a tied weight's gradient is the sum of both uses'", "[tied_dense]") {
  const auto tied = [](nn::Builder& builder, nn::Value x) {
    const nn::Value y = nn::Dense{.units = 4}(builder, x);
    return nn::TiedDense{.weight = "layer.weight"}(builder, y);
  };
  check_all_gradients(nn::Layer(tied), {3});
  CHECK_THROWS_WITH(write_layer(nn::TiedDense{.weight = "0.embedding.table"}, {3}),
                    Catch::Contains("no earlier layer has a parameter '0.embedding.table'"));
  const auto wide = [](nn::Builder& builder, nn::Value x) {
    nn::Dense{.units = 3}(builder, x);
    return nn::TiedDense{.weight = "layer.weight"}(builder, take(x, 1, 0, 1));
  };
  CHECK_THROWS_WITH(write_layer(nn::Layer(wide), {2}),
                    Catch::Contains("layer.weight is 2 x 3, and a sample is 1"));
}

}  // namespace systole::tests
