#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/nn/sequential.h"

namespace systole::nn {

/// A network that the command line knows by name, with what it is usually trained with.
struct Model {
  std::string name;
  std::string description;
  Shape input_shape;
  std::vector<std::string> datasets;  ///< the first is the default
  std::vector<LayerSpec> layers;
  Sgd sgd;
  Adam adam;
};

std::vector<std::string> model_names();

/// Errors   std::invalid_argument for a name there is not, listing those there are
Model find_model(std::string_view name);

}  // namespace systole::nn
