#include "host/nn/models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "host/nn/dense.h"
#include "host/nn/flatten.h"
#include "host/nn/relu.h"

namespace systole::nn {
namespace {

std::vector<Model> models() {
  return {{.name = "mnist-mlp",
           .description = "784-512-10 with ReLU: the network of the Keras beginner's tutorial",
           .input_shape = {28, 28, 1},
           .datasets = {"fashion-mnist", "mnist"},
           .layers = {Flatten{}, Dense{.units = 512}, Relu{}, Dense{.units = 10}},
           .sgd = {.learning_rate = 0.05f, .momentum = 0.9f},
           .adam = {.learning_rate = 0.001f}}};
}

}  // namespace

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const Model& model : models()) names.push_back(model.name);
  return names;
}

Model find_model(std::string_view name) {
  for (Model& model : models()) {
    if (model.name == name) return std::move(model);
  }
  throw std::invalid_argument(
      fmt::format("unknown model '{}': choose from {}", name, fmt::join(model_names(), ", ")));
}

}  // namespace systole::nn
