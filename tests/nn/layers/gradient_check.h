#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "host/nn/training/sequential.h"

namespace systole::tests {

/// Compares a gradient with central differences of the loss, value by value.
///
/// Limits   the loss is good to about 1e-7, smooth over steps of 1/16, and not constant
void check_gradient(const std::string& name, std::span<float> values,
                    const std::vector<float>& gradient, const std::function<double()>& loss);

/// The same for parameters, whose gradients are already computed and which loss leaves unchanged.
void check_gradients(std::span<nn::Parameter* const> parameters,
                     const std::function<double()>& loss);

/// The same for all trained parameters of a compiled model on a batch.
///
/// Limits   inputs, seeds and shapes such that no value is within 1/256 of a kink (ReLU, max)
void check_gradients(nn::Sequential& model, const nn::Tensor& inputs,
                     std::span<const std::int32_t> labels);

}  // namespace systole::tests
