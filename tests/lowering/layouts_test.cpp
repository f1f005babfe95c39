// Dimensions in any order: transposes, sums, numbers of rows and batches of products, on a device.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>

#include "host/compiler/program/step_program.h"
#include "host/graph/ops.h"
#include "host/graph/reference.h"
#include "tests/lowering/interpreted_device.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using graph::Element;
using graph::Graph;
using graph::Integers;
using graph::Literal;
using graph::Shape;
using graph::Value;

using Write = std::function<Value(const std::vector<Value>& inputs)>;

// Whether the device's result is the oracle's, to the bit, of inputs that are whole numbers of
// -8 to 7: bf16 has them, and fp32 their sums.
void check_exact(int lanes, const std::vector<Shape>& shapes, const Write& write) {
  Graph graph;
  std::vector<Value> values;
  for (const Shape& shape : shapes) {
    values.push_back(graph.input(fmt::format("x{}", values.size()), {Element::kF32, shape}));
  }
  graph.output("y", write(values));
  Random random(0x5eed'1a7e);
  std::vector<Literal> inputs;
  for (const Shape& shape : shapes) {
    Literal literal{.type = {Element::kF32, shape}, .values = {}};
    for (std::int64_t i = 0; i < graph::element_count(shape); ++i) {
      literal.values.push_back(static_cast<double>(random.below(16)) - 8);
    }
    inputs.push_back(std::move(literal));
  }
  InterpretedDevice device(lanes);
  lowering::StepProgram step(graph, device.memory(), {.sizes = {.array_size = lanes}});
  auto feed = step.make_feed();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::vector<float> words(inputs[i].values.begin(), inputs[i].values.end());
    step.set_batch(feed, graph.inputs()[i].name, words.data(), std::ssize(words));
  }
  step.write(0, feed);
  CHECK(device.run(step.program(1)).fault == device::FaultCode::kNone);
  const Literal expected = evaluate(graph, inputs)[0];
  std::vector<float> found(static_cast<std::size_t>(graph::element_count(expected.type.shape)));
  step.read_output(0, "y", found.data(), std::ssize(found));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    wrong += static_cast<double>(found[i]) != expected.at(static_cast<std::int64_t>(i));
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("a transpose that leaves the last dimension moves every row to its place",
          "[plain_layouts]") {
  const int lanes = GENERATE(4, 16);
  for (const Shape& shape : {Shape{3, 2, 4, 5}, {2, 1, 3, 17}, {2, 3, 2, 2, 5}}) {
    Integers order = graph::counting(std::ssize(shape));
    do {
      CAPTURE(lanes, graph::to_string(shape), graph::to_string(order));
      check_exact(lanes, {shape}, [&](const auto& x) { return transpose(x[0], order) + 1.0; });
    } while (std::next_permutation(order.begin(), order.end() - 1));
  }
}

// Returned, and read by elements, by rows, by a sum of rows, and by columns that every row repeats.
TEST_CASE("a transpose of any dimensions is read by any kernel", "[plain_layouts]") {
  const int lanes = GENERATE(4, 16);
  for (const Shape& shape : {Shape{3, 17}, {3, 2, 5}, {5, 3, 2, 4}}) {
    Integers order = graph::counting(std::ssize(shape));
    do {
      CAPTURE(lanes, graph::to_string(shape), graph::to_string(order));
      Shape moved;
      for (const std::int64_t d : order) moved.push_back(shape[static_cast<std::size_t>(d)]);
      const std::int64_t last = std::ssize(shape) - 1, all = graph::element_count(shape);
      check_exact(lanes, {shape}, [&](const auto& x) { return transpose(x[0], order); });
      check_exact(lanes, {shape, moved}, [&](const auto& x) {
        return maximum(transpose(x[0], order), x[1]) + transpose(x[0], order) * 2.0;
      });
      check_exact(lanes, {shape, {moved.back()}}, [&](const auto& x) {
        return sum(transpose(x[0], order) + broadcast_in_dim(x[1], moved, {last}), {last});
      });
      check_exact(lanes, {shape, {all}},
                  [&](const auto& x) { return reshape(transpose(x[0], order), {all}) - x[1]; });
    } while (std::ranges::next_permutation(order).found);
  }
}

TEST_CASE("rows of heads are joined, and each repeats a column", "[plain_layouts]") {
  const int lanes = GENERATE(4, 16);
  check_exact(lanes, {{2, 3, 5, 4}, {12}}, [](const auto& x) {
    const Value joined = reshape(transpose(x[0], {0, 2, 1, 3}), {10, 12});
    return maximum(joined + broadcast_in_dim(x[1], {10, 12}, {1}), joined * 0.5);
  });
}

TEST_CASE("a broadcast to any dimensions is the oracle's", "[plain_layouts]") {
  const int lanes = GENERATE(4, 16);
  const Shape to =
      GENERATE(Shape{3, 2, 5}, Shape{2, 3, 2, 5}, Shape{3, 17, 2, 1}, Shape{2, 3, 2, 3, 2});
  for (unsigned subset = 1; subset < 1U << to.size(); ++subset) {
    Integers dimensions;
    for (std::int64_t d = 0; d < std::ssize(to); ++d) {
      if ((subset >> d & 1U) != 0) dimensions.push_back(d);
    }
    do {
      Shape from;
      for (const std::int64_t d : dimensions) from.push_back(to[static_cast<std::size_t>(d)]);
      CAPTURE(lanes, graph::to_string(to), graph::to_string(dimensions));
      check_exact(lanes, {from, to}, [&](const auto& x) {
        return broadcast_in_dim(x[0], to, dimensions) + x[1] * 2.0;
      });
    } while (to.size() < 5 && std::ranges::next_permutation(dimensions).found);
  }
}

TEST_CASE("a mask of each text is repeated for each of its heads", "[plain_layouts]") {
  const int lanes = GENERATE(4, 16);
  check_exact(lanes, {{2, 6, 5}, {2, 3, 6, 5}}, [](const auto& x) {
    const Value seen = compare(x[0], "GT", constant_like(x[0], 0));
    return select(broadcast_in_dim(seen, {2, 3, 6, 5}, {0, 2, 3}), x[1], constant_like(x[1], -9));
  });
}

TEST_CASE("a product reads a transpose of any dimensions", "[plain_layouts]") {
  const int lanes = GENERATE(4, 16);
  for (const Shape& shape : {Shape{3, 2, 4, 5}, {2, 1, 3, 17}}) {
    Integers order = graph::counting(std::ssize(shape));
    do {
      CAPTURE(lanes, graph::to_string(shape), graph::to_string(order));
      const std::int64_t depth = shape[static_cast<std::size_t>(order.back())];
      check_exact(lanes, {shape, {depth, 6}},
                  [&](const auto& x) { return matmul(transpose(x[0], order), x[1]); });
    } while (std::ranges::next_permutation(order).found);
  }
}

TEST_CASE("sums over any dimensions are the oracle's", "[plain_layouts]") {
  const int lanes = GENERATE(4, 16);
  const Shape shape =
      GENERATE(Shape{3, 2, 4, 5}, Shape{17, 3, 5, 2}, Shape{40, 3, 6}, Shape{2, 1, 3, 2, 3});
  for (unsigned subset = 1; subset < 1U << shape.size(); ++subset) {
    Integers dimensions;
    for (std::int64_t d = 0; d < std::ssize(shape); ++d) {
      if ((subset >> d & 1U) != 0) dimensions.push_back(d);
    }
    CAPTURE(lanes, graph::to_string(shape), graph::to_string(dimensions));
    check_exact(lanes, {shape}, [&](const auto& x) { return sum(x[0], dimensions); });
    check_exact(lanes, {shape}, [&](const auto& x) { return max(x[0], dimensions) * 2.0; });
  }
}

TEST_CASE("a sum of concatenated numbers is that of all parts", "[plain_layouts]") {
  const int lanes = GENERATE(4, 16);
  check_exact(lanes, {{40, 3}, {5}, {7, 2}}, [](const auto& x) {
    std::vector<Value> sums;
    for (const Value one : {x[0], x[1], x[2]}) sums.push_back(reshape(sum(one * one), {1}));
    const Value first = concatenate(std::span(sums).first(2), 0);
    return x[0] * broadcast_to(sum(concatenate(std::vector{first, sums[2]}, 0), {0}), {40, 3});
  });
}

TEST_CASE("products of any batches and depths are the oracle's", "[plain_layouts]") {
  struct Case {
    Shape a, b;
    graph::DotDimensions dimensions;
  };
  const Case cases[] = {
      {{3, 5, 6}, {3, 6, 7}, {{0}, {0}, {2}, {1}}},              // a batch of plain products
      {{3, 6, 5}, {3, 7, 6}, {{0}, {0}, {1}, {2}}},              // transposed, both
      {{2, 5, 3, 4}, {2, 6, 3, 4}, {{0, 2}, {0, 2}, {3}, {3}}},  // scores of attention
      {{2, 3, 5, 6}, {2, 6, 3, 4}, {{0, 1}, {0, 2}, {3}, {1}}},  // their values
      {{2, 3, 5, 6}, {2, 5, 3, 4}, {{0, 1}, {0, 2}, {2}, {1}}},  // their gradients
      {{4, 6, 3}, {6, 5, 4}, {{}, {}, {0, 1}, {2, 0}}},          // two depths, apart
      {{5, 3}, {3, 4, 5}, {{1}, {0}, {0}, {2}}},                 // the batch last
      {{3, 17}, {3, 17}, {{0}, {0}, {1}, {1}}},                  // of vectors
      {{1, 4, 1}, {1, 1, 5}, {{0}, {0}, {2}, {1}}},              // of single numbers
  };
  const int lanes = GENERATE(4, 16);
  for (const Case& one : cases) {
    CAPTURE(lanes, graph::to_string(one.a), graph::to_string(one.b));
    const auto product = [&](const auto& x) { return dot_general(x[0], x[1], one.dimensions); };
    check_exact(lanes, {one.a, one.b}, product);
    // With a ReLU, and beside a kernel that needs the sums.
    check_exact(lanes, {one.a, one.b}, [&](const auto& x) {
      const Value y = product(x);
      return maximum(y, constant_like(y, 0)) + y * 2.0;
    });
  }
}

TEST_CASE("numbers of rows and a causal mask are the oracle's", "[plain_layouts]") {
  const int lanes = GENERATE(4, 16);
  const Shape shape = GENERATE(Shape{2, 3, 5, 5}, Shape{1, 1, 1, 1}, Shape{2, 1, 70, 70});
  CAPTURE(lanes, graph::to_string(shape));
  check_exact(lanes, {shape}, [&](const auto& x) {
    const graph::Type places{Element::kS32, {shape[2], shape[3]}};
    Graph& graph = x[0].graph();
    const Value seen = compare(iota(graph, places, 0), "GE", iota(graph, places, 1));
    return select(broadcast_to(seen, shape), x[0], constant_like(x[0], -100));
  });
}

TEST_CASE("numbers of a vector are rows' and columns'", "[plain_layouts]") {
  const int lanes = GENERATE(4, 16);
  const Shape shape = GENERATE(Shape{6, 6}, Shape{17, 17});
  check_exact(lanes, {shape}, [&](const auto& x) {
    const Value numbers = iota(x[0].graph(), {Element::kS32, {shape[0]}}, 0);
    const Value row = broadcast_in_dim(numbers, shape, {0});
    return select(compare(row, "GE", broadcast_in_dim(numbers, shape, {1})), x[0],
                  constant_like(x[0], -100));
  });
}

// As JAX writes nn.make_causal_mask: of more elements than simplify() folds, the host's work.
TEST_CASE("a causal mask of numbers for each text of a batch is the oracle's", "[plain_layouts]") {
  const int lanes = GENERATE(4, 16);
  const Shape shape = GENERATE(Shape{5, 2, 32, 32}, Shape{3, 1, 40, 40}, Shape{2, 3, 130, 130});
  CAPTURE(lanes, graph::to_string(shape));
  check_exact(lanes, {shape}, [&](const auto& x) {
    const Shape texts = {shape[0], shape[2], shape[3]};
    const Value numbers = iota(x[0].graph(), {Element::kS32, {shape[2]}}, 0);
    const Value seen =
        compare(broadcast_in_dim(numbers, texts, {1}), "GE", broadcast_in_dim(numbers, texts, {2}));
    const Value mask = broadcast_in_dim(seen, shape, {0, 2, 3});
    return select(mask, x[0], constant_like(x[0], -100)) * 2.0;
  });
}

TEST_CASE("sums of rows have any number of results", "[plain_layouts]") {
  const auto [shape, dimensions] = GENERATE(std::pair{Shape{17, 65'537}, Integers{0}},
                                            std::pair{Shape{2, 17, 33'000}, Integers{1}},
                                            std::pair{Shape{3, 2, 3, 22'000}, Integers{0, 2}});
  CAPTURE(graph::to_string(shape));
  check_exact(16, {shape}, [&](const auto& x) { return sum(x[0], dimensions); });
}

TEST_CASE("a column of numbers for rows of more than a stream's is refused", "[plain_layouts]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {2, 70'000}}),
              bias = graph.input("bias", {Element::kF32, {70'000}});
  graph.output("y", x * broadcast_in_dim(bias, x.shape(), {1}));
  InterpretedDevice device(16);
  CHECK_THROWS_WITH(lowering::StepProgram(graph, device.memory(), {.sizes = {.array_size = 16}}),
                    Catch::EndsWith("a stream's rows have at most 65535 elements"));
}

TEST_CASE("rows that are multiplied by their columns' numbers are added up in blocks of columns",
          "[plain_layouts]") {
  const int lanes = GENERATE(4, 16);
  check_exact(lanes, {{5, 300}}, [](const auto& x) {
    const Value numbers = iota(x[0].graph(), {Element::kS32, {5, 300}}, 1);
    return sum(x[0] * convert(numbers, Element::kF32), {0});
  });
}

TEST_CASE("a table that both an embedding and a product read gets the sum of both gradients",
          "[plain_layouts]") {
  const int lanes = GENERATE(4, 16);
  check_exact(lanes, {{5, 6}, {3, 5}, {3, 5}}, [](const auto& x) {
    const Value rows = matmul(x[1], x[0]);
    const Value logits = dot_general(rows, x[0], {{}, {}, {1}, {1}});
    return dot_general(x[1], dot_general(x[2], x[0], {{}, {}, {1}, {0}}), {{}, {}, {0}, {0}}) +
           dot_general(x[2], rows, {{}, {}, {0}, {0}}) + sum(logits * 0.0, {0, 1});
  });
}

}  // namespace systole::tests
