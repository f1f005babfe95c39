// Expressions as kernels of the vector engine, against the graph's oracle.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

#include "host/compiler/kernels/kernel_writer.h"
#include "host/compiler/program/step_program.h"
#include "host/graph/ops.h"
#include "host/graph/reference.h"
#include "tests/lowering/interpreted_device.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using graph::Element;
using graph::Graph;
using graph::Literal;
using graph::Shape;
using graph::Value;

constexpr std::uint64_t kSeed = 0x5eed'1e55;

// The device's and the oracle's values of `expression`, which takes x and y of a shape and labels,
// one for each row; a state of the result's shape is updated by it.
struct Outcome {
  std::vector<float> found;
  std::vector<double> expected;
  std::size_t kernels = 0;
};
template <typename Expression>
Outcome run(int lanes, const Shape& shape, const Expression& expression) {
  Random random(kSeed);
  const auto write = [&](Graph& graph) {
    const Value x = graph.input("x", {Element::kF32, shape});
    const Value y = graph.input("y", {Element::kF32, shape});
    const Value labels = graph.input("labels", {Element::kS32, {shape[0]}});
    const Value result = expression(x, y, labels);
    const Value state = graph.input("state", result.type());
    graph.update(state, "state.next", result);
    return result.type();
  };
  Graph graph;
  const graph::Type type = write(graph);

  std::vector<Literal> inputs;
  for (const graph::Input& input : graph.inputs()) {
    Literal literal{.type = graph.type(input.value), .values = {}};
    const bool is_float = graph::is_float(literal.type.element);
    for (std::int64_t i = 0; i < graph::element_count(literal.type.shape); ++i) {
      const auto number = static_cast<float>(random.below(1 << 20)) * 0x1p-18f - 2.0f;
      const auto classes = static_cast<std::uint32_t>(shape.back());
      literal.values.push_back(is_float ? number : static_cast<double>(random.below(classes)));
    }
    inputs.push_back(std::move(literal));
  }
  InterpretedDevice device(lanes);
  lowering::StepProgram step(graph, device.memory(), {.sizes = {.array_size = lanes}});
  auto feed = step.make_feed();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = graph.inputs()[i].name;
    if (name == "state") continue;
    std::vector<std::uint32_t> words;
    for (const double value : inputs[i].values) {
      words.push_back(inputs[i].type.element == Element::kF32
                          ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                          : static_cast<std::uint32_t>(value));
    }
    step.set_batch(feed, name, words.data(), std::ssize(words));
  }
  step.write(0, feed);
  CHECK(device.run(step.program(1)).fault == device::FaultCode::kNone);
  Outcome outcome{.found = std::vector<float>(graph::element_count(type.shape)),
                  .expected = evaluate(graph, inputs)[0].values,
                  .kernels = step.lowered().units.size()};
  step.read_state("state", outcome.found);
  if (outcome.expected.size() == 1) {
    outcome.expected.assign(outcome.found.size(), outcome.expected[0]);
  }
  return outcome;
}

double ulps(float found, double expected) {
  if (std::isnan(expected) && std::isnan(found)) return 0;
  if (static_cast<double>(found) == expected) return 0;
  const auto rounded = static_cast<float>(expected);
  const double unit = std::nextafter(std::fabs(rounded), INFINITY) - std::fabs(rounded);
  return std::fabs(found - expected) / unit;
}

// Each with the distance from the oracle that its instructions allow: 0 for exact ones.
struct Case {
  const char* name;
  double most_ulps;
  Value (*write)(Value x, Value y, Value labels);
};

Value rows_of(Value x, Value row) { return repeat(row, x.shape(), {x.type().rank() - 1}); }

/// Multiples of 1/2.
Value halves(Value x) { return x.graph().add("floor", {x * 8.0}) * 0.5; }

const Case kCases[] = {
    {"add", 0, [](Value x, Value y, Value) { return x + y; }},
    {"floor", 0, [](Value x, Value, Value) { return x.graph().add("floor", {x * 4.0}); }},
    {"floor as a whole number", 0,
     [](Value x, Value y, Value) {
       return convert(convert(x.graph().add("floor", {x * 8.0 + y}), Element::kS32), Element::kF32);
     }},
    {"bits, shifted", 0,
     [](Value x, Value, Value) {
       const Value bits =
           x.graph().add("bitcast_convert", {x}, {graph::Type{Element::kU32, x.shape()}});
       const Value by = broadcast_to(constant_like(bits, 9), x.shape());
       const Value high = x.graph().add("shift_right_logical", {bits, by});
       return convert(
           x.graph().add("bitcast_convert", {high}, {graph::Type{Element::kS32, x.shape()}}),
           Element::kF32);
     }},
    {"bits, shifted left and, with their sign, right", 0,
     [](Value x, Value, Value labels) {
       const Value bits =
           x.graph().add("bitcast_convert", {x}, {graph::Type{Element::kS32, x.shape()}});
       const Value by = rows_of(x, labels) * 5;
       const Value left = x.graph().add("shift_left", {bits, by});
       return convert(x.graph().add("shift_right_arithmetic", {left, by}), Element::kF32);
     }},
    {"ceil", 0, [](Value x, Value y, Value) { return x.graph().add("ceil", {x * 4.0 + y}); }},
    {"round to even", 0,
     [](Value x, Value, Value) { return x.graph().add("round_nearest_even", {halves(x)}); }},
    {"round from zero", 0,
     [](Value x, Value, Value) { return x.graph().add("round_nearest_afz", {halves(x)}); }},
    {"whole numbers' size and sign", 0,
     [](Value x, Value, Value) {
       const Value whole = convert(x * 2.0, Element::kS32);
       return convert(abs(whole) * 3 + sign(whole), Element::kF32);
     }},
    {"negate and abs", 0, [](Value x, Value y, Value) { return negate(abs(x)) - y; }},
    {"sign", 0, [](Value x, Value, Value) { return sign(x); }},
    {"maximum", 0, [](Value x, Value y, Value) { return maximum(x, y); }},
    {"clamp", 0,
     [](Value x, Value, Value) { return clamp(constant_like(x, -1), x, constant_like(x, 1)); }},
    {"select where less or equal", 0,
     [](Value x, Value y, Value) { return select(compare(x, "LE", y), x * y, y); }},
    {"not equal", 0,
     [](Value x, Value y, Value) { return convert(compare(x, "NE", y), Element::kF32); }},
    {"convert to whole numbers", 0,
     [](Value x, Value, Value) { return convert(convert(x * 8.0, Element::kS32), Element::kF32); }},
    {"a column for all rows", 0,
     [](Value x, Value, Value) {
       return x + convert(iota(x.graph(), {Element::kS32, x.shape()}, 1), Element::kF32);
     }},
    {"labels as rows of one", 0,
     [](Value x, Value, Value labels) {
       const Value numbers = iota(x.graph(), {Element::kS32, x.shape()}, 1);
       const Value is_label = compare(numbers, "EQ", rows_of(x, labels));
       return convert(is_label, Element::kF32);
     }},
    {"the largest of a row", 0, [](Value x, Value, Value) { return x - rows_of(x, max(x, {1})); }},
    {"rows' largest, one each", 0, [](Value x, Value, Value) { return max(x, {1}); }},
    {"exponential", 2, [](Value x, Value, Value) { return exponential(x); }},
    {"log", 2, [](Value x, Value, Value) { return log(abs(x)); }},
    {"tanh", 2, [](Value x, Value, Value) { return tanh(x); }},
    {"logistic", 3, [](Value x, Value, Value) { return logistic(x); }},
    {"sine", 2, [](Value x, Value, Value) { return sine(x); }},
    {"cosine", 2, [](Value x, Value, Value) { return cosine(x); }},
    {"log_plus_one", 3, [](Value x, Value, Value) { return log_plus_one(abs(x) * 1e-3); }},
    {"sqrt", 1, [](Value x, Value, Value) { return sqrt(abs(x)); }},
    {"rsqrt", 1, [](Value x, Value, Value) { return rsqrt(abs(x)); }},
    {"divide", 2, [](Value x, Value y, Value) { return x / y; }},
};

const Shape kShapes[] = {{1, 1}, {3, 3}, {5, 4}, {2, 5}, {7, 10}, {9, 16}, {3, 31}, {33, 2}};

}  // namespace

TEST_CASE("kernels compute what the graph says, within their instructions' errors", "[lowering]") {
  INFO("seed " << kSeed);
  for (const int lanes : {4, 16}) {
    for (const Case& one : kCases) {
      for (const Shape& shape : kShapes) {
        CAPTURE(lanes, one.name, shape);
        const Outcome outcome = run(lanes, shape, one.write);
        CHECK(outcome.kernels == 1);
        for (std::size_t i = 0; i < outcome.found.size(); ++i) {
          CAPTURE(i, outcome.found[i], outcome.expected[i]);
          CHECK(ulps(outcome.found[i], outcome.expected[i]) <= one.most_ulps);
        }
      }
    }
  }
}

TEST_CASE("what becomes int8 saturates on its way through memory", "[lowering]") {
  INFO("seed " << kSeed);
  const int lanes = GENERATE(4, 16);
  for (const Shape& shape : kShapes) {
    CAPTURE(lanes, shape);
    const Outcome outcome = run(lanes, shape, [](Value x, Value, Value) {
      return convert(convert(x * 100.0, Element::kS8), Element::kF32);
    });
    for (std::size_t i = 0; i < outcome.found.size(); ++i) {
      CAPTURE(i);
      CHECK(outcome.found[i] == static_cast<float>(outcome.expected[i]));
    }
  }
}

TEST_CASE("an integer that becomes int8 wraps", "[lowering]") {
  INFO("seed " << kSeed);
  const int lanes = GENERATE(4, 16);
  for (const Shape& shape : kShapes) {
    CAPTURE(lanes, shape);
    const Outcome outcome = run(lanes, shape, [](Value x, Value, Value) {
      return convert(convert(convert(x * 200.0, Element::kS32), Element::kS8), Element::kF32);
    });
    for (std::size_t i = 0; i < outcome.found.size(); ++i) {
      CAPTURE(i);
      CHECK(outcome.found[i] == static_cast<float>(outcome.expected[i]));
    }
  }
}

TEST_CASE("kernels add up rows, columns and all elements", "[lowering]") {
  INFO("seed " << kSeed);
  const auto near = [](const Outcome& outcome, double terms) {
    for (std::size_t i = 0; i < outcome.found.size(); ++i) {
      CAPTURE(i);
      // Terms are below 4; each addition rounds a sum of at most `terms` of them.
      CHECK(std::fabs(outcome.found[i] - outcome.expected[i]) <= terms * terms * 4 * 0x1p-24);
    }
  };
  for (const int lanes : {4, 16}) {
    for (const Shape& shape :
         {Shape{1, 1}, Shape{3, 10}, Shape{40, 7}, Shape{17, 16}, Shape{5, 32}}) {
      CAPTURE(lanes, shape);
      near(run(lanes, shape, [](Value x, Value y, Value) { return sum(x * y, {1}); }),
           static_cast<double>(shape[1]));
      near(run(lanes, shape, [](Value x, Value y, Value) { return sum(x + y, {0}); }),
           static_cast<double>(shape[0]));
      near(run(lanes, shape, [](Value x, Value, Value) { return sum(x) * 0.5; }),
           static_cast<double>(shape[0] * shape[1]));
    }
    // Columns of several blocks.
    near(run(lanes, {6, 300}, [](Value x, Value, Value) { return sum(x, {0}); }), 6);
    // A sum that all elements need: two kernels.
    const Outcome centred = run(lanes, {6, 20}, [](Value x, Value, Value) {
      return x - repeat(mean(x, {0}), x.shape(), {0});
    });
    near(centred, 6);
    CHECK(centred.kernels == 2);
  }
}

// What all rows share lies in registers; rows that are not whole words lie side by side; and the
// variance needs no pass after the mean's, also where the mean is large.
TEST_CASE("rows are normalised by what their columns share", "[lowering]") {
  const auto normalised = [](Value x, Value y, Value) {
    const auto all = [&](Value value) { return repeat(value, x.shape(), {0}); };
    const Value far = x + 100.0, average = mean(far, {0}), distance = far - all(average);
    const Value variance = mean(distance * distance, {0});
    return distance * all(rsqrt(variance + 1e-3)) + y * all(variance) + all(sum(y, {0}) * 0.01);
  };
  for (const int lanes : {4, 16}) {
    for (const Shape& shape : {Shape{128, 16}, Shape{192, 24}, Shape{160, 96}, Shape{300, 6},
                               Shape{129, 7}, Shape{256, 32}, Shape{70, 80}}) {
      CAPTURE(lanes, shape);
      const Outcome outcome = run(lanes, shape, normalised);
      for (std::size_t i = 0; i < outcome.found.size(); ++i) {
        CAPTURE(i);
        // Elements near 100 have a distance of 2^-18 from the next; there are up to 300 of them.
        CHECK(std::fabs(outcome.found[i] - outcome.expected[i]) <= 1e-3);
      }
    }
  }
}

// Rows of more than 8 N elements are added up in parts.
TEST_CASE("kernels reduce rows of any length", "[lowering]") {
  const int lanes = GENERATE(4, 8);
  const std::int64_t cols = GENERATE(33, 64, 65, 131, 500);
  CAPTURE(lanes, cols);
  const auto equal = [](const Outcome& outcome) {
    for (std::size_t i = 0; i < outcome.found.size(); ++i) {
      CAPTURE(i);
      // Terms are below 16; each addition rounds a sum of at most 500 of them.
      CHECK(std::fabs(outcome.found[i] - outcome.expected[i]) <= 500 * 500 * 16 * 0x1p-24);
    }
  };
  equal(run(lanes, {7, cols}, [](Value x, Value y, Value) { return sum(x * y, {1}); }));
  equal(run(lanes, {7, cols}, [](Value x, Value y, Value) { return max(x - y, {1}); }));
  equal(run(lanes, {cols}, [](Value x, Value y, Value) { return sum(x * y, {0}) * 0.5; }));
  equal(run(lanes, {7, cols}, [](Value x, Value, Value labels) {
    const Value all = x - repeat(log(sum(exponential(x), {1})), x.shape(), {1});
    const Value picked = repeat(labels, x.shape(), {1});
    const Value classes = iota(x.graph(), {Element::kS32, x.shape()}, 1);
    return sum(select(compare(classes, "EQ", picked), all, constant_like(all, 0)), {1});
  }));
}

// Whole numbers of at most eight bits are exact in bf16.
TEST_CASE("rows of a table are chosen and added by products", "[lowering]") {
  const int lanes = GENERATE(4, 16);
  const std::int64_t rows = GENERATE(1, 5, 23), cols = GENERATE(3, 16, 37);
  CAPTURE(lanes, rows, cols);
  const auto whole = [](Value x) {
    return convert(convert(x * 8.0, Element::kS32), Element::kF32);
  };
  const auto equal = [](const Outcome& outcome) {
    for (std::size_t i = 0; i < outcome.found.size(); ++i) {
      CAPTURE(i);
      CHECK(outcome.found[i] == static_cast<float>(outcome.expected[i]));
    }
  };
  const auto numbers = [&](Value labels) {  // some of them outside
    return labels - constant_like(labels, 1);
  };
  equal(run(lanes, {rows, cols}, [&](Value x, Value, Value labels) {
    return take_rows(whole(x), numbers(labels)) * 0.5;
  }));
  equal(run(lanes, {rows, cols}, [&](Value x, Value y, Value labels) {
    return scatter(whole(x), numbers(labels), whole(y), "add",
                   {.update_window_dims = {1},
                    .inserted_window_dims = {0},
                    .scatter_dims_to_operand_dims = {0},
                    .index_vector_dim = 1});
  }));
}

TEST_CASE("a kernel of many elements takes several runs", "[lowering]") {
  const Outcome outcome = run(4, {500, 700}, [](Value x, Value y, Value) { return maximum(x, y); });
  CHECK(std::ranges::equal(outcome.found, outcome.expected));
}

// Pixels of windows of four: a value in one or all of them, zeros in the others.
TEST_CASE("windows are joined of values and zeros", "[lowering]") {
  const int lanes = GENERATE(4, 16);
  const std::int64_t channels = GENERATE(1, 3, 6, 16, 21);
  const bool is_everywhere = GENERATE(true, false);
  CAPTURE(lanes, channels, is_everywhere);
  constexpr std::int64_t kImages = 3, kHeight = 2, kWidth = 3;
  const auto windows = [&](Value x, Value, Value) {
    const Shape each = {kImages * kHeight * kWidth, 1, channels};
    const Value pixel = reshape(x, each);
    const Value none = broadcast_to(constant_like(pixel, 0), each);
    std::vector<Value> rows;
    for (int i = 0; i < 2; ++i) {
      const Value first = i == 0 || is_everywhere ? pixel : none;
      const Value parts[] = {first, is_everywhere ? pixel : none};
      const Value row = graph::concatenate(parts, 1);
      rows.push_back(reshape(row, {kImages * kHeight, 1, 2 * kWidth * channels}));
    }
    return reshape(graph::concatenate(rows, 1), {kImages, 2 * kHeight, 2 * kWidth, channels});
  };
  const Outcome outcome = run(lanes, {kImages, kHeight, kWidth, channels}, windows);
  for (std::size_t i = 0; i < outcome.found.size(); ++i) {
    CAPTURE(i);
    CHECK(outcome.found[i] == static_cast<float>(outcome.expected[i]));
  }
}

TEST_CASE("an expression of more than a micro-program becomes several", "[lowering]") {
  const Outcome outcome = run(16, {8, 16}, [](Value x, Value y, Value) {
    return tanh(logistic(x) + exponential(y)) - log(abs(x) + exponential(y * 0.5));
  });
  CHECK(outcome.kernels > 1);
  for (std::size_t i = 0; i < outcome.found.size(); ++i) {
    CHECK(outcome.found[i] == Approx(outcome.expected[i]).margin(1e-6));
  }
}

TEST_CASE("the device compiler refuses what it cannot lower, with its layer", "[lowering]") {
  const auto refused = [](const Shape& shape, const auto& expression) -> std::string {
    try {
      run(4, shape, [&](Value x, Value y, Value labels) {
        const Graph::Scope scope(x.graph(), "3.layer");
        return expression(x, y, labels);
      });
    } catch (const graph::GraphError& error) {
      return error.what();
    }
    return "nothing";
  };
  CHECK_THAT(refused({4, 4}, [](Value x, Value y, Value) { return power(x, y); }),
             Catch::StartsWith("3.layer: power(") && Catch::Contains("no such operation"));
  CHECK_THAT(refused({4, 4}, [](Value x, Value, Value) { return reverse(x, {0}); }),
             Catch::StartsWith("3.layer: reverse("));
}

TEST_CASE("a kernel that does not fit is refused with a reason, which says whether a part may fit",
          "[lowering]") {
  Graph graph;
  std::vector<Value> x;
  for (int i = 0; i < 20; ++i) {
    x.push_back(graph.input(fmt::format("x{}", i), {Element::kF32, {8, 16}}));
  }
  // The operations that follow read their operands from memory.
  const auto refusal_of = [&](const std::vector<Value>& values) {
    lowering::Surroundings around{.graph = graph, .lanes = 16};
    around.in_memory.resize(graph.value_count());
    around.in_table.resize(graph.value_count());
    around.narrow.resize(graph.value_count());
    for (const Value& input : x) around.in_memory[static_cast<std::size_t>(input.id())] = true;
    std::vector<lowering::Root> roots;
    for (const Value& value : values) {
      roots.push_back({.value = value.id(), .formats = {lowering::Format::kWord}});
    }
    const auto code = lowering::write_kernel(around, roots);
    const auto* refusal = std::get_if<lowering::Refusal>(&code);
    return refusal == nullptr ? lowering::Refusal{.why = "fits"} : *refusal;
  };
  CHECK(refusal_of({x[0] + x[1] + x[2] + x[3]}).why == "fits");
  const auto streams = refusal_of({x[0] + x[1] + x[2] + x[3] + x[4]});
  CHECK(streams.why == "a kernel reads at most 4 streams");
  CHECK(streams.is_a_limit);

  Value longer = x[0];
  for (int i = 0; i < 8; ++i) longer = tanh(longer);
  CHECK(refusal_of({longer}).why == "a micro-program has at most 64 instructions");
  CHECK(refusal_of({longer}).is_a_limit);

  // More sums than registers: one for each, from the first instruction on.
  std::vector<Value> sums;
  for (int i = 0; i < 17; ++i) {
    sums.push_back(sum(x[0] * static_cast<float>(i + 2), {0}));
  }
  CHECK(refusal_of(sums).is_a_limit);

  const auto unknown = refusal_of({power(x[0], x[1])});
  CHECK_THAT(unknown.why,
             Catch::Contains("power(") && Catch::Contains("vector engine has no such operation"));
  CHECK_FALSE(unknown.is_a_limit);
}

}  // namespace systole::tests
