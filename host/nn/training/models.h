#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/nn/training/sequential.h"

namespace systole::nn {

/// A network that the command line knows by name, with its usual training options.
struct Model {
  std::string name;
  std::string description;
  Shape input_shape;
  std::vector<std::string> datasets;  ///< the first is the default
  std::vector<Layer> layers;          ///< without dropout
  float dropout = 0;                  ///< rate before the last layer; 0: none
  Sgd sgd;
  Adam adam;

  /// Whether its samples are characters, each of which has the next one as label.
  bool is_of_text() const { return input_shape.size() == 1; }
};

/// A GPT: embeddings of words and of their places; blocks of causal attention and of two dense
/// layers, each after a normalisation and added to what it reads; logits from the words' table.
///
/// Shapes   a sample is `context` word numbers; the outputs are [context, words] logits
/// Source   Radford et al., "Language models are unsupervised multitask learners", 2019
struct Gpt {
  std::int64_t words = 0, context = 0, units = 0, heads = 1, blocks = 1;
};
std::vector<Layer> gpt_layers(const Gpt& gpt);

std::vector<std::string> model_names();

/// The model of that name; `dropout`, if given, replaces its own rate; `context`, the characters of
/// a sample of text.
///
/// Errors   std::invalid_argument for an unknown name, with the known ones, and for the context of
///          a model of images
Model find_model(std::string_view name, std::optional<float> dropout = {},
                 std::optional<std::int64_t> context = {});

}  // namespace systole::nn
