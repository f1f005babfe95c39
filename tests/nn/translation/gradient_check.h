#pragma once

#include <functional>
#include <span>
#include <string>

#include "host/nn/layers/parameter.h"

namespace systole::tests {

/// Holds some values' gradient against central differences of a loss of them, value by value.
///
/// Limits   the loss is good to about 1e-7, and smooth over steps of 1/16
void check_gradient(const std::string& name, std::span<float> values,
                    std::span<const float> gradient, const std::function<double()>& loss);

/// The same for parameters, whose gradients were found before and which loss leaves alone.
void check_gradients(std::span<nn::Parameter* const> parameters,
                     const std::function<double()>& loss);

}  // namespace systole::tests
