#include "host/nn/training/models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "host/data/word_list.h"
#include "host/nn/layers/add.h"
#include "host/nn/layers/batch_normalization.h"
#include "host/nn/layers/conv2d.h"
#include "host/nn/layers/dense.h"
#include "host/nn/layers/dropout.h"
#include "host/nn/layers/embedding.h"
#include "host/nn/layers/flatten.h"
#include "host/nn/layers/layer_normalization.h"
#include "host/nn/layers/multi_head_attention.h"
#include "host/nn/layers/pooling_2d.h"
#include "host/nn/layers/position_embedding.h"
#include "host/nn/layers/tied_dense.h"

namespace systole::nn {
namespace {

Model mnist_mlp() {
  return {.name = "mnist-mlp",
          .description = "784-512-10 with ReLU: the network of the Keras beginner's tutorial",
          .input_shape = {28, 28, 1},
          .datasets = {"fashion-mnist", "mnist"},
          .layers = {Flatten{}, Dense{.units = 512}, Relu{}, Dense{.units = 10}},
          .sgd = {.learning_rate = 0.05f, .momentum = 0.9f},
          .adam = {.learning_rate = 0.001f}};
}

Model mnist_cnn() {
  return {.name = "mnist-cnn",
          .description = "two convolutions with poolings, 128 dense units, dropout",
          .input_shape = {28, 28, 1},
          .datasets = {"mnist", "fashion-mnist"},
          .layers = {Conv2D{.filters = 32}, MaxPooling2D{}, Relu{}, Conv2D{.filters = 64},
                     MaxPooling2D{}, Relu{}, Flatten{}, Dense{.units = 128}, Relu{},
                     Dense{.units = 10}},
          .dropout = 0.5f,
          .sgd = {.learning_rate = 0.02f, .momentum = 0.9f},
          .adam = {.learning_rate = 0.001f}};
}

Model fashion_cnn() {
  return {.name = "fashion-cnn",
          .description = "one convolution of 64 filters, pooling, ReLU, 10 classes",
          .input_shape = {28, 28, 1},
          .datasets = {"fashion-mnist", "mnist"},
          .layers = {Conv2D{.filters = 64}, MaxPooling2D{}, Relu{}, Flatten{}, Dense{.units = 10}},
          .sgd = {.learning_rate = 0.02f, .momentum = 0.9f},
          .adam = {.learning_rate = 0.001f}};
}

Model cifar10_cnn() {
  const auto convolution = [](std::int64_t filters) {
    return Conv2D{
        .filters = filters, .padding = Padding::kSame, .initializer = Initializer::kHeNormal};
  };
  const BatchNormalization normalization{.momentum = 0.9f};
  return {.name = "cifar10-cnn",
          .description = "four convolutions with batch normalisation, three poolings, dropout",
          .input_shape = {32, 32, 3},
          .datasets = {"cifar10"},
          .layers = {convolution(32), MaxPooling2D{}, normalization, Relu{}, convolution(64),
                     MaxPooling2D{}, normalization, Relu{}, convolution(96), normalization, Relu{},
                     convolution(96), MaxPooling2D{}, normalization, Relu{}, Flatten{},
                     Dense{.units = 10}},
          .dropout = 0.4f,
          .sgd = {.learning_rate = 0.02f, .momentum = 0.9f},
          .adam = {.learning_rate = 0.001f}};
}

Model gpt_words(std::int64_t context) {
  return {.name = "gpt-words",
          .description = "a GPT of 64 units, 4 heads and 4 blocks that spells words",
          .input_shape = {context},
          .datasets = {"words"},
          .layers = gpt_layers(
              {.words = kLetters, .context = context, .units = 64, .heads = 4, .blocks = 4}),
          .sgd = {.learning_rate = 0.05f, .momentum = 0.9f},
          .adam = {.learning_rate = 0.001f}};
}

std::vector<Model> models(std::int64_t context = kWordsContext) {
  return {mnist_mlp(), mnist_cnn(), fashion_cnn(), cifar10_cnn(), gpt_words(context)};
}

}  // namespace

std::vector<Layer> gpt_layers(const Gpt& gpt) {
  std::vector<Layer> layers = {Embedding{.words = gpt.words, .units = gpt.units},
                               PositionEmbedding{}};
  for (std::int64_t block = 0; block < gpt.blocks; ++block) {
    layers.emplace_back(Add{LayerNormalization{}, MultiHeadAttention{.heads = gpt.heads}});
    layers.emplace_back(Add{LayerNormalization{},
                            Dense{.units = 4 * gpt.units, .activation = Function::kGelu},
                            Dense{.units = gpt.units}});
  }
  layers.emplace_back(LayerNormalization{});
  layers.emplace_back(TiedDense{.weight = "0.embedding.table"});
  return layers;
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const Model& model : models()) names.push_back(model.name);
  return names;
}

Model find_model(std::string_view name, std::optional<float> dropout,
                 std::optional<std::int64_t> context) {
  for (Model& model : models(context.value_or(kWordsContext))) {
    if (model.name != name) continue;
    if (context && !model.is_of_text()) {
      throw std::invalid_argument(
          fmt::format("{} trains on images, which have no context of characters", name));
    }
    const bool usual = model.dropout > 0;
    model.dropout = dropout.value_or(model.dropout);
    if (usual || model.dropout > 0) {
      model.layers.insert(model.layers.end() - 1, Dropout{.rate = model.dropout});
    }
    return std::move(model);
  }
  throw std::invalid_argument(
      fmt::format("unknown model '{}': choose from {}", name, fmt::join(model_names(), ", ")));
}

}  // namespace systole::nn
