#pragma once

#include <functional>
#include <span>
#include <string>

#include "host/nn/layers/parameter.h"

namespace systole::tests {

/// Compares a gradient with central differences of the loss, value by value.
///
/// Limits   the loss is good to about 1e-7, and smooth over steps of 1/16
void check_gradient(const std::string& name, std::span<float> values,
                    std::span<const float> gradient, const std::function<double()>& loss);

/// The same for parameters, whose gradients are already computed and which loss leaves unchanged.
void check_gradients(std::span<nn::Parameter* const> parameters,
                     const std::function<double()>& loss);

}  // namespace systole::tests
