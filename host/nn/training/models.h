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
  std::vector<Layer> layers;
  float dropout = 0;  ///< rate before the last layer; 0: none
  Sgd sgd;
  Adam adam;
};

std::vector<std::string> model_names();

/// The model of that name; `dropout`, if given, replaces its own rate.
///
/// Errors   std::invalid_argument for an unknown name, with the known ones
Model find_model(std::string_view name, std::optional<float> dropout = {});

}  // namespace systole::nn
