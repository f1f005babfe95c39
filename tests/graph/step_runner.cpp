#include "step_runner.h"

#include <algorithm>

namespace systole::tests {

using namespace graph;

std::vector<Layer> graph_layers(const std::string& model, double dropout) {
  const auto convolution = [](std::int64_t filters) {
    return Conv2D{.filters = filters, .padding = graph::Padding::kSame, .he_normal = true};
  };
  const BatchNormalization normalization{.momentum = 0.9};
  std::vector<Layer> layers;
  if (model == "mnist-mlp") {
    layers = {Flatten{}, Dense{.units = 512}, Activate{}};
  } else if (model == "mnist-cnn") {
    layers = {Conv2D{.filters = 32},
              MaxPooling2D{},
              Activate{},
              Conv2D{.filters = 64},
              MaxPooling2D{},
              Activate{},
              Flatten{},
              Dense{.units = 128},
              Activate{}};
  } else if (model == "fashion-cnn") {
    layers = {Conv2D{.filters = 64}, MaxPooling2D{}, Activate{}, Flatten{}};
  } else {
    layers = {convolution(32), MaxPooling2D{}, normalization, Activate{},
              convolution(64), MaxPooling2D{}, normalization, Activate{},
              convolution(96), normalization,  Activate{},    convolution(96),
              MaxPooling2D{},  normalization,  Activate{},    Flatten{}};
  }
  layers.emplace_back(Dropout{.rate = dropout});
  layers.emplace_back(Dense{.units = 10});
  return layers;
}

StepRunner::StepRunner(const std::vector<Layer>& layers, const Shape& images,
                       const StepOptions& options, int threads) {
  Model model(graph_, true);
  const Value x = graph_.input("x", {Element::kF32, images});
  const Value labels = graph_.input("labels", {Element::kS32, {images[0]}});
  finish_step(model, softmax_cross_entropy(apply(model, layers, x), labels), options);
  variables_ = model.variables();
  for (const Variable& variable : variables_) {
    const auto count = static_cast<std::size_t>(element_count(variable.value.shape()));
    values_.emplace_back(count, static_cast<float>(variable.initial.scale));
  }
  program_.emplace(graph_, threads);
}

void StepRunner::copy_from(const nn::Sequential& model) {
  std::size_t next = 0;
  for (const nn::Parameter* parameter : model.parameters()) {
    while (variables_[next].value.type().element != Element::kF32) ++next;
    if (values_.at(next).size() != parameter->value.size()) {
      throw GraphError(fmt::format("{} is not {}", variables_[next].name, parameter->name));
    }
    values_[next++] = parameter->value;
  }
}

float StepRunner::run(std::span<const float> images, std::span<const std::int32_t> labels,
                      float learning_rate) {
  steps_ += 1;
  float loss = 0;
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
  for (const Input& input : graph_.inputs()) {
    const auto variable = std::ranges::find(variables_, input.name, &Variable::name);
    const bool is_variable = variable != variables_.end();
    inputs.push_back(is_variable
                         ? values_[static_cast<std::size_t>(variable - variables_.begin())].data()
                     : input.name == "x"             ? static_cast<const void*>(images.data())
                     : input.name == "labels"        ? static_cast<const void*>(labels.data())
                     : input.name == "learning_rate" ? &learning_rate
                                                     : &steps_);
  }
  for (std::size_t i = 0; i < graph_.outputs().size(); ++i) {
    const auto input = std::ranges::find(graph_.inputs(), static_cast<int>(i), &Input::updated_by);
    outputs.push_back(
        input == graph_.inputs().end()
            ? &loss
            : const_cast<void*>(inputs[static_cast<std::size_t>(input - graph_.inputs().begin())]));
  }
  program_->run(inputs, outputs);
  return loss;
}

std::span<const float> StepRunner::values(const std::string& name) const {
  const auto variable = std::ranges::find(variables_, name, &Variable::name);
  return values_.at(static_cast<std::size_t>(variable - variables_.begin()));
}

}  // namespace systole::tests
