#include "host/nn/layers/activation.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "host/nn/layers/dense.h"
#include "host/nn/layers/flatten.h"
#include "tests/nn/layers/written_layer.h"
#include "tests/nn/training/small_model.h"

namespace systole::tests {
namespace {

using nn::Function;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

nn::Tensor through(const Function& function, const nn::Tensor& x, const nn::Shape& shape,
                   int threads = 1) {
  return WrittenLayer(nn::Activation{.function = function}, shape).forward(x, {.threads = threads});
}

struct Formula {
  Function function;
  double (*value)(std::span<const float> row, std::size_t i);
};

const Formula kFormulas[] = {
    {Function::kLinear, [](std::span<const float> row, std::size_t i) { return double{row[i]}; }},
    {Function::kRelu,
     [](std::span<const float> row, std::size_t i) { return std::max(double{row[i]}, 0.0); }},
    {Function::kTanh,
     [](std::span<const float> row, std::size_t i) { return std::tanh(double{row[i]}); }},
    {Function::kSigmoid,
     [](std::span<const float> row, std::size_t i) { return 1 / (1 + std::exp(-double{row[i]})); }},
    {Function::kSoftmax,
     [](std::span<const float> row, std::size_t i) {
       double sum = 0;
       for (const float other : row) sum += std::exp(double{other} - double{row[i]});
       return 1 / sum;
     }},
};

}  // namespace

TEST_CASE("activations agree with their formulas, softmax along the last dimension",
          "[activation]") {
  nn::Tensor x = random_tensor(3, 20, 7);
  for (float& value : x.values) value *= 6;
  for (const Formula& formula : kFormulas) {
    CAPTURE(formula.function.name);
    const nn::Tensor y = through(formula.function, x, {4, 5});
    for (std::size_t first = 0; first < x.values.size(); first += 5) {
      const auto row = std::span(x.values).subspan(first, 5);
      for (std::size_t i = 0; i < 5; ++i) {
        CHECK(y.values[first + i] == Approx(formula.value(row, i)).epsilon(1e-5).margin(1e-7));
      }
    }
  }
}

TEST_CASE("softmax and sigmoid stay finite for large inputs, and NaN stays NaN", "[activation]") {
  const nn::Tensor large{.rows = 1, .row_size = 3, .values = {1e4f, -1e4f, 1e4f}};
  const auto shares = through(Function::kSoftmax, large, {3}).values;
  CHECK(shares[0] == Approx(0.5));
  CHECK(shares[1] == 0);
  CHECK(through(Function::kSigmoid, large, {3}).values == std::vector<float>{1, 0, 1});
  const nn::Tensor nan{.rows = 1, .row_size = 1, .values = {kNan}};
  for (const Function& function :
       {Function::kRelu, Function::kTanh, Function::kSigmoid, Function::kSoftmax}) {
    CHECK(std::isnan(through(function, nan, {1}).values[0]));
  }
}

TEST_CASE("activations give the same results on three threads as on one", "[activation]") {
  const nn::Tensor x = random_tensor(11, 20000, 7);
  for (const Function& function : {Function::kRelu, Function::kTanh, Function::kSoftmax}) {
    CHECK(through(function, x, {2000, 10}).values == through(function, x, {2000, 10}, 3).values);
  }
}

TEST_CASE("a new activation takes one line", "[activation]") {
  const Function silu{"silu", [](nn::Value x) { return x * logistic(x); }};
  const nn::Tensor y = through(silu, {.rows = 1, .row_size = 1, .values = {2}}, {1});
  CHECK(y.values[0] == Approx(2 / (1 + std::exp(-2.0))));
  CHECK(nn::Layer(nn::Dense{.units = 4, .activation = silu}).description() == "Dense(silu)");
}

TEST_CASE("a layer with an activation counts as one layer", "[activation]") {
  const nn::Layer layer = nn::Dense{.units = 4, .activation = Function::kTanh};
  CHECK(layer.kind() == "Dense");
  WrittenLayer written(layer, {6}), plain(nn::Dense{.units = 4}, {6});
  CHECK(written.output_shape() == nn::Shape{4});
  CHECK(written.parameters().size() == 2);
  const nn::Tensor x = random_tensor(3, 6, 2);
  const nn::Tensor y = written.forward(x), sums = plain.forward(x);
  for (std::size_t i = 0; i < 12; ++i) CHECK(y.values[i] == Approx(std::tanh(sums.values[i])));
}

TEST_CASE("relu keeps positive values, and passes only their gradients", "[relu]") {
  const nn::Tensor x{.rows = 1, .row_size = 5, .values = {-2, -0.0f, 0, 1e-20f, 3}};
  const nn::Tensor d_y{.rows = 1, .row_size = 5, .values = {1, 2, 3, 4, 5}};
  const auto [y, d_x] = WrittenLayer(nn::Relu{}, {5}).run(x, d_y);
  CHECK(y.values == std::vector<float>{0, 0, 0, 1e-20f, 3});
  CHECK(d_x.values == std::vector<float>{0, 0, 0, 4, 5});
}

TEST_CASE("relu and flatten keep the number of values and have no parameters", "[relu]") {
  WrittenLayer relu(nn::Relu{}, {4, 5, 6}), flatten(nn::Flatten{}, {4, 5, 6});
  CHECK(relu.output_shape() == nn::Shape{4, 5, 6});
  CHECK(flatten.output_shape() == nn::Shape{120});
  CHECK(relu.parameters().empty());
  CHECK(flatten.parameters().empty());
}

TEST_CASE("every form of ReLU trains to the same bits", "[relu]") {
  const auto train = [](nn::Sequential model) {
    model.compile({.optimizer = nn::Sgd{.learning_rate = 0.1f},
                   .device = Device::open("cpu"),
                   .input_shape = {9}});
    return fit(model, small_data(40, 9, 3), {.epochs = 2, .batch_size = 16});
  };
  const auto plain = train({nn::Dense{.units = 7}, nn::Relu{}, nn::Dense{.units = 3}});
  CHECK(plain.losses.back() < 0.9 * plain.losses.front());
  // Initial weights depend on a layer's place: three layers each.
  CHECK(train({nn::Dense{.units = 7}, nn::Activation{Function::kRelu}, nn::Dense{.units = 3}}) ==
        plain);
  CHECK(train({nn::Dense{.units = 7, .activation = Function::kRelu}, nn::Flatten{},
               nn::Dense{.units = 3}}) == plain);
}

TEST_CASE("a NaN passes a ReLU on the device", "[relu]") {
  for (const DeviceInfo& info : Device::list()) {
    if (info.name == "systemc") continue;  // it runs rtl's kernels more slowly
    CAPTURE(info.name);
    nn::Sequential model = small_model(4, 3);
    model.compile({.device = Device::open(info.name, {.array_size = 4}), .input_shape = {6}});
    nn::Tensor inputs = random_tensor(1, 6, 1);
    inputs.values[2] = kNan;
    for (const float logit : model.predict(inputs).values) CHECK(std::isnan(logit));
  }
}

}  // namespace systole::tests
