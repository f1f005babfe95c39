#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/nn/training/sequential.h"

namespace systole::nn {

/// A network that the command line knows by name, with what it is usually trained with.
struct Model {
  std::string name;
  std::string description;
  Shape input_shape;
  std::vector<std::string> datasets;  ///< the first is the default
  std::vector<Layer> layers;
  float dropout = 0;  ///< the rate before the last layer; 0: there is none
  Sgd sgd;
  Adam adam;
};

std::vector<std::string> model_names();

/// The model of that name, with another rate of dropout than its own if one is given.
///
/// Errors   std::invalid_argument for an unknown name, with the known ones
Model find_model(std::string_view name, std::optional<float> dropout = {});

}  // namespace systole::nn
