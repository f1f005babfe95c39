// The table of passes: names, what is verified between them, and texts of graphs in between.
#include "host/compiler/pipeline.h"

#include <catch2/catch.hpp>
#include <set>

#include "host/compiler/units/lowered_graph.h"
#include "host/graph/ops.h"
#include "host/graph/text.h"
#include "host/nn/training/models.h"
#include "host/nn/training/replica.h"

namespace systole::tests {
namespace {

using graph::Element;
using graph::Graph;
using graph::Value;

nn::TrainingGraph step_of(const std::string& name, std::int64_t rows) {
  const nn::Model model = nn::find_model(name);
  nn::Replica replica(std::make_shared<const std::vector<nn::Layer>>(model.layers));
  replica.build(model.input_shape, 1);
  return replica.training_graph(rows, nn::SoftmaxCrossEntropy{}, nn::Adam{}, std::nullopt);
}

TEST_CASE("an unknown pass is refused with the names of all", "[pipeline]") {
  std::set<std::string_view> names;
  for (const lowering::Pass& pass : lowering::passes()) {
    CHECK(names.insert(pass.name).second);
    CHECK_FALSE(pass.holds.empty());
    CHECK(lowering::find_pass(pass.name).run == pass.run);
  }
  CHECK_THROWS_WITH(lowering::find_pass("split"),
                    Catch::Contains("'split' is not a pass: choose from join_sums, simplify, ") &&
                        Catch::EndsWith("separate_parts, separate_outputs, copy_rows"));
}

TEST_CASE("the graph after each pass prints as text that reads back", "[pipeline]") {
  const std::string name = GENERATE("mnist-mlp", "cifar10-cnn");
  const bool is_quantized = GENERATE(false, true);
  CAPTURE(name, is_quantized);
  const nn::TrainingGraph step = step_of(name, 4);
  std::optional<lowering::Quantization> quantization;
  if (is_quantized) quantization.emplace();
  std::vector<std::string_view> seen, expected;
  std::string last;
  const auto lowered =
      lowering::lower_graph(*step.graph, {.array_size = 16}, nn::states_of(step), quantization,
                            [&](const lowering::Pass& pass, const Graph& graph) {
                              CAPTURE(pass.name);
                              seen.push_back(pass.name);
                              last = graph::print(graph);
                              CHECK(graph::print(*lowering::read_lowered(last)) == last);
                            });
  for (const lowering::Pass& pass : lowering::passes()) expected.push_back(pass.name);
  CHECK(seen == expected);
  CHECK(graph::print(*lowered.graph) == last);
}

TEST_CASE("only this compiler's reader knows its own operations", "[pipeline]") {
  const std::string text = R"(func.func @main(%w: tensor<3x3x1x2xf32>) -> tensor<3x2x4x8xf32> {
  %0 = "systole.wide_kernel"(%w) <{pixels = 4 : i64, apart = 2 : i64, width = 2 : i64, first = 0 : i64}> : (tensor<3x3x1x2xf32>) -> tensor<3x2x4x8xf32>
  return %0 : tensor<3x2x4x8xf32>
})";
  CHECK(lowering::read_lowered(text)->operations().size() == 1);
  CHECK_THROWS_WITH(graph::read(text),
                    Catch::Contains("2:8: 'systole.wide_kernel' is not a stablehlo operation"));
}

// ---- Passes that are wrong ----

/// An operation whose types are others when it is checked again.
bool doubles = false;
std::vector<graph::Type> infer_unsteady(const graph::Call& call) {
  graph::Type type = call.operands[0];
  if (doubles) type.shape[0] *= 2;
  return {type};
}
const graph::OperationKind kUnsteady{.name = "unsteady", .infer = infer_unsteady};

std::unique_ptr<Graph> copied(const Graph& graph) {
  auto result = std::make_unique<Graph>();
  std::vector<Value> values = result->inputs_as(graph);
  result->output_as(graph, values);
  return result;
}

std::unique_ptr<Graph> with_unsteady(const Graph& graph, const lowering::PassContext&) {
  doubles = false;
  auto result = copied(graph);
  const Value operands[] = {result->value(0)};
  result->add(kUnsteady, operands, {});
  doubles = true;
  return result;
}

std::unique_ptr<Graph> without_update(const Graph& graph, const lowering::PassContext&) {
  auto result = std::make_unique<Graph>();
  const std::vector<Value> values = result->inputs_as(graph);
  for (const graph::Output& output : graph.outputs()) {
    result->output(output.name, values[static_cast<std::size_t>(output.value)]);
  }
  return result;
}

TEST_CASE("a pass that breaks the graph, its inputs or its outputs is named", "[pipeline]") {
  Graph graph;
  const Value x = graph.input("x", {Element::kF32, {3}}), y = graph.input("y", x.type());
  graph.update(x, "next", y);
  const auto none = [](const Graph&, const lowering::PassContext&) {
    return std::unique_ptr<Graph>();
  };
  const lowering::Pass harmless{"harmless", "", none}, broken{"broken", "", with_unsteady},
      updates{"updates", "", without_update};
  const auto run = [&](const lowering::Pass& second) {
    const lowering::Pass both[] = {harmless, second};
    return lowering::run_passes(both, graph, {});
  };
  CHECK(run(harmless) == nullptr);
  CHECK_THROWS_WITH(run(broken),
                    "after the pass broken: unsteady(tensor<3xf32>): gives "
                    "tensor<6xf32>, not tensor<3xf32>");
  CHECK_THROWS_WITH(run(updates), "after the pass updates: the graph has other inputs and outputs");
}

}  // namespace
}  // namespace systole::tests
