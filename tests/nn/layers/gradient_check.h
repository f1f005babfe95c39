#pragma once

#include <cstdint>
#include <span>

#include "host/nn/training/sequential.h"

namespace systole::tests {

/// Compares every gradient of a compiled model with central differences of its loss.
///
/// Limits   inputs, seeds and shapes such that no value is near a kink (ReLU, max) of its layer
/// Numbers  within 2e-4, and the largest slope is at least 100 times that
void check_gradients(nn::Sequential& model, const nn::Tensor& inputs,
                     std::span<const std::int32_t> labels);

/// 0, 1, .. classes - 1, 0, ..
std::vector<std::int32_t> cyclic_labels(std::int64_t count, std::int32_t classes);

}  // namespace systole::tests
