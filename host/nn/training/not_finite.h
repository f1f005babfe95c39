#pragma once

#include <span>

namespace systole::nn {

/// Whether no value is NaN or infinite.
bool all_finite(std::span<const float> values);

}  // namespace systole::nn
