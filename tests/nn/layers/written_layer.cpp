#include "tests/nn/layers/written_layer.h"

#include <algorithm>

#include "host/graph/gradient.h"

namespace systole::tests {
namespace {

graph::Type batch_of(std::int64_t rows, const nn::Shape& sample) {
  graph::Shape shape = sample;
  shape.insert(shape.begin(), rows);
  return {graph::Element::kF32, shape};
}

}  // namespace

WrittenLayer::WrittenLayer(nn::Layer layer, nn::Shape sample, std::uint64_t seed)
    : layer_(std::move(layer)), sample_(std::move(sample)), seed_(seed) {
  graph::Graph graph;
  nn::Builder builder(graph, parameters_, false);
  const nn::Builder::Scope scope(builder, "layer.");
  builder.start_from(seed_, 0);
  output_shape_ = nn::sample_shape(layer_(builder, graph.input("x", batch_of(1, sample_))));
}

WrittenLayer::Passed WrittenLayer::run(const nn::Tensor& x, const nn::Tensor& d_y,
                                       Options options) {
  graph::Graph graph;
  nn::Builder builder(graph, parameters_, options.training);
  const nn::Value input = graph.input("x", batch_of(x.rows, sample_));
  const nn::Value slope = graph.input("d_y", batch_of(x.rows, output_shape_));
  nn::Value y;
  {
    const nn::Builder::Scope scope(builder, "layer.");
    builder.start_from(seed_, 0);
    y = layer_(builder, input);
  }
  std::vector<nn::Value> wanted{input};
  for (const nn::Variable& variable : builder.variables()) wanted.push_back(variable.value);
  const auto gradients = graph::gradients(sum(y * slope), wanted);
  Passed passed;
  passed.y.resize(x.rows, nn::size_of(output_shape_));
  passed.d_x.resize(x.rows, x.row_size);
  graph.output("y", y);
  graph.output("d_x", gradients[0]);
  std::vector<void*> outputs{passed.y.values.data(), passed.d_x.values.data()};
  std::vector<std::vector<float>> updated;
  for (std::size_t i = 0; i < builder.variables().size(); ++i) {
    graph.output(fmt::format("d{}", i), gradients[i + 1]);
    outputs.push_back(builder.variables()[i].parameter->gradient.data());
  }
  for (const auto& [parameter, value, next] : builder.variables()) {
    if (!next) continue;
    graph.update(value, fmt::format("next{}", outputs.size()), next);
    outputs.push_back(parameter->value.data());
  }
  const auto update = static_cast<float>(options.step + 1);
  const auto first_row = static_cast<float>(options.first_row);
  std::vector<const void*> inputs;
  for (const graph::Input& each : graph.inputs()) {
    const auto variable = std::ranges::find(builder.variables(), each.value,
                                            [](const auto& v) { return v.value.id(); });
    inputs.push_back(variable != builder.variables().end() ? variable->parameter->value.data()
                     : each.name == "x"   ? static_cast<const void*>(x.values.data())
                     : each.name == "d_y" ? d_y.values.data()
                     : each.name == nn::StepScalars::kUpdate ? static_cast<const void*>(&update)
                                                             : &first_row);
  }
  graph::CpuProgram(graph, options.threads, options.elsewhere).run(inputs, outputs);
  return passed;
}

nn::Tensor WrittenLayer::forward(const nn::Tensor& x, Options options) {
  nn::Tensor ones;
  ones.resize(x.rows, nn::size_of(output_shape_));
  std::ranges::fill(ones.values, 1.0f);
  return run(x, ones, std::move(options)).y;
}

void write_layer(const nn::Layer& layer, const nn::Shape& sample) { WrittenLayer(layer, sample); }

}  // namespace systole::tests
