#include "host/graph/layers/layers.h"

#include <catch2/catch.hpp>

#include "host/graph/cpu/kernel.h"
#include "host/graph/gradient.h"
#include "host/graph/layers/training.h"
#include "host/graph/reference.h"
#include "operation_cases.h"

namespace systole::tests {
namespace {

using namespace graph;

Type f32(Shape shape) { return {Element::kF32, std::move(shape)}; }

// What a layer gives for random inputs and variables.
struct Written {
  Graph graph;
  Model model{graph, true};

  Value input(const Type& type) {
    return graph.input(fmt::format("x{}", graph.inputs().size()), type);
  }
  std::vector<Literal> random() {
    std::vector<Literal> inputs;
    for (const Input& input : graph.inputs()) {
      const Type& type = graph.type(input.value);
      const bool is_pred = type.element == Element::kPred;
      inputs.push_back(random_literal(type,
                                      is_pred                         ? 0
                                      : type.element == Element::kS32 ? 0
                                                                      : -1,
                                      is_pred                         ? 1.999
                                      : type.element == Element::kS32 ? 2.999
                                                                      : 1,
                                      3 + inputs.size()));
    }
    return inputs;
  }
};

TEST_CASE("layers infer their shapes and name their variables", "[graph]") {
  Written w;
  const Value images = w.input(f32({2, 9, 8, 3}));
  const Value y =
      Conv2D{.filters = 5, .strides = {2, 1}, .padding = Padding::kSame}(w.model, images);
  CHECK(y.shape() == Shape{2, 5, 8, 5});
  CHECK(MaxPooling2D{}(w.model, y).shape() == Shape{2, 2, 4, 5});
  CHECK(AveragePooling2D{.padding = Padding::kSame}(w.model, y).shape() == Shape{2, 3, 4, 5});
  CHECK(Dense{.units = 7}(w.model, Flatten{}(w.model, y)).shape() == Shape{2, 7});
  Dense{.units = 2}(w.model, w.input(f32({3, 4})));
  std::vector<std::string> names;
  for (const Variable& variable : w.model.variables()) names.push_back(variable.name);
  CHECK(names == std::vector<std::string>{"conv2d.weight", "conv2d.bias", "dense.weight",
                                          "dense.bias", "dense_1.weight", "dense_1.bias"});
}

TEST_CASE("layers refuse what they cannot take, by name", "[graph]") {
  Written w;
  const Value flat = w.input(f32({2, 9}));
  CHECK_THROWS_WITH((Conv2D{.filters = 5}(w.model, flat)),
                    "conv2d: Conv2D takes [batch, height, width, channels], not tensor<2x9xf32>");
}

TEST_CASE("an average of a window over the border counts what is inside", "[graph]") {
  Written w;
  const Value x = w.input(f32({1, 3, 3, 1}));
  w.graph.output("y", AveragePooling2D{.padding = Padding::kSame}(w.model, x));
  const Literal input{f32({1, 3, 3, 1}), {1, 2, 3, 4, 5, 6, 7, 8, 9}};
  CHECK(evaluate(w.graph, std::vector{input})[0].values == std::vector<double>{3, 4.5, 7.5, 9});
}

TEST_CASE("a batch is normalised, and the moving mean follows", "[graph]") {
  Written w;
  const Value x = w.input(f32({64, 2}));
  w.graph.output("y", BatchNormalization{.momentum = 0.75}(w.model, x));
  w.graph.output("moving", w.model.variables()[2].updated);
  auto inputs = w.random();
  inputs[1] = {f32({2}), {1}};
  inputs[2] = inputs[3] = {f32({2}), {0}};
  const auto y = evaluate(w.graph, inputs);
  double sum = 0, squares = 0, raw = 0;
  for (std::int64_t i = 0; i < 64; ++i) {
    sum += y[0].at(2 * i);
    squares += y[0].at(2 * i) * y[0].at(2 * i);
    raw += inputs[0].at(2 * i);
  }
  CHECK(sum == Approx(0).margin(1e-5));
  CHECK(squares / 64 == Approx(1).epsilon(0.01));
  CHECK(y[1].at(0) == Approx(raw / 64 * 0.25).epsilon(1e-5));
}

// GRU and attention are chains of what gradient_test.cpp tests; here they are tested whole.
void check_gradients(Written& w, Value y) {
  const Value loss = sum(y * y);
  std::vector<Value> wanted;
  for (const Input& input : w.graph.inputs()) {
    if (w.graph.type(input.value).element == Element::kF32)
      wanted.push_back(w.graph.value(input.value));
  }
  const auto found = gradients(loss, wanted);
  w.graph.output("loss", loss);
  for (std::size_t i = 0; i < found.size(); ++i) w.graph.output(fmt::format("d{}", i), found[i]);
  const auto inputs = w.random();
  const auto outputs = evaluate(w.graph, inputs, Rounding::kNone);
  std::size_t next = 1;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].type.element != Element::kF32) continue;
    for (std::size_t e = 0; e < inputs[i].values.size(); e += 3) {
      const auto loss_at = [&](double change) {
        auto moved = inputs;
        moved[i].values[e] += change;
        return evaluate(w.graph, moved, Rounding::kNone)[0].values[0];
      };
      constexpr double kStep = 1e-5;
      INFO(w.graph.inputs()[i].name << " " << e);
      CHECK(outputs[next].values[e] ==
            Approx((loss_at(kStep) - loss_at(-kStep)) / (2 * kStep)).epsilon(1e-5).margin(1e-7));
    }
    ++next;
  }
}

TEST_CASE("a GRU's gradients agree with finite differences", "[graph]") {
  Written w;
  const Value x = w.input(f32({3, 2, 4})), live = w.input({Element::kPred, {3, 2}});
  check_gradients(w, Gru{.units = 3}(w.model, x, live));
}

TEST_CASE("a GRU keeps the state of a sentence that has ended", "[graph]") {
  Written w;
  const Value x = w.input(f32({3, 2, 4})), live = w.input({Element::kPred, {3, 2}});
  w.graph.output("states", Gru{.units = 2}(w.model, x, live));
  auto inputs = w.random();
  inputs[1].values = {1, 1, 1, 0, 1, 0};
  const Literal states = evaluate(w.graph, inputs)[0];
  CHECK(states.at(2) == states.at(6));  // sentence 1 after steps 0 and 1
  CHECK(states.at(2) == states.at(10));
  CHECK(states.at(0) != states.at(4));
}

TEST_CASE("attention's gradients agree with finite differences", "[graph]") {
  Written w;
  const Value query = w.input(f32({2, 3})), values = w.input(f32({4, 2, 5}));
  const Value live = w.input({Element::kPred, {4, 2}});
  check_gradients(w, Attention{.units = 3}(w.model, query, values, live));
}

TEST_CASE("an embedding's gradient goes to the rows that were taken", "[graph]") {
  Written w;
  const Value numbers = w.input({Element::kS32, {2, 2}});
  const Value y = Embedding{.words = 3, .units = 2}(w.model, numbers);
  w.graph.output("d", gradients(sum(y), std::vector{w.model.variables()[0].value})[0]);
  auto inputs = w.random();
  inputs[0].values = {0, 2, 2, 2};
  CHECK(evaluate(w.graph, inputs)[0].values == std::vector<double>{1, 1, 0, 0, 3, 3});
}

TEST_CASE("a long gradient is clipped, a short one is not", "[graph]") {
  Graph graph;
  const Value a = graph.input("a", f32({2})), b = graph.input("b", f32({}));
  const auto clipped = clip_norm(std::vector{a, b}, 2.5);
  graph.output("a2", clipped[0]);
  graph.output("b2", clipped[1]);
  const auto at = [&](double x, double y, double z) {
    const auto out = evaluate(graph, std::vector<Literal>{{f32({2}), {x, y}}, {f32({}), {z}}});
    return std::vector{out[0].at(0), out[0].at(1), out[1].at(0)};
  };
  CHECK(at(3, 0, 4) == std::vector<double>{1.5, 0, 2});
  CHECK(at(1, 0, 2) == std::vector<double>{1, 0, 2});
}

TEST_CASE("accuracy counts the first of equal outputs", "[graph]") {
  Graph graph;
  const Value y = graph.input("y", f32({3, 2})), labels = graph.input("l", {Element::kS32, {3}});
  graph.output("accuracy", accuracy(y, labels));
  const auto out = evaluate(graph, std::vector<Literal>{{f32({3, 2}), {1, 1, 0, 2, 5, 4}},
                                                        {{Element::kS32, {3}}, {0, 1, 1}}});
  CHECK(out[0].at(0) == Approx(2.0 / 3));
}

TEST_CASE("an activation of one's own is one line", "[graph]") {
  Written w;
  const Activation cube = [](Value x) { return x * x * x; };
  w.graph.output(
      "y", Dense{.units = 1, .activation = cube, .has_bias = false}(w.model, w.input(f32({1, 1}))));
  CHECK(evaluate(w.graph, std::vector<Literal>{{f32({1, 1}), {2}}, {f32({1, 1}), {3}}})[0].at(0) ==
        216);
}

}  // namespace
}  // namespace systole::tests
