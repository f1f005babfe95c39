// Whole steps of the named models, as host/nn writes them.
#include <catch2/catch.hpp>

#include "host/graph/gradient.h"
#include "host/graph/simplify.h"
#include "host/graph/text.h"
#include "host/nn/losses/loss.h"
#include "host/nn/training/models.h"

namespace systole::tests {
namespace {

void write_step(graph::Graph& graph, const std::string& name) {
  const nn::Model model = nn::find_model(name);
  std::deque<nn::Parameter> parameters;
  nn::Builder builder(graph, parameters, true);
  graph::Shape images = model.input_shape;
  images.insert(images.begin(), 4);
  nn::Value x = graph.input("x", {graph::Element::kF32, images});
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const nn::Builder::Scope scope(builder, nn::scope_name(i, model.layers[i]) + ".");
    builder.start_from(1, i);
    x = model.layers[i](builder, x);
  }
  x = reshape(x, {nn::size_of(x.shape()) / x.dimension(-1), x.dimension(-1)});
  const nn::Value labels = graph.input("labels", {graph::Element::kS32, {x.dimension(0)}});
  const nn::Value loss = nn::SoftmaxCrossEntropy{}(x, labels);
  std::vector<nn::Value> wanted;
  for (const nn::Variable& variable : builder.variables()) wanted.push_back(variable.value);
  graph.output("loss", loss);
  for (const nn::Value gradient : graph::gradients(loss, wanted)) {
    graph.output(fmt::format("d{}", graph.outputs().size()), gradient);
  }
}

}  // namespace

TEST_CASE("the text of every named model's step reads back", "[graph]") {
  for (const std::string& name : nn::model_names()) {
    CAPTURE(name);
    graph::Graph step;
    write_step(step, name);
    const std::string text = graph::print(step);
    CHECK(graph::print(*graph::read(text)) == text);
    CHECK(graph::simplify(step)->operations().size() < step.operations().size());
  }
}

}  // namespace systole::tests
