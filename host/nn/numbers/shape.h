#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace systole::nn {

/// The dimensions of one sample, without the batch: {28, 28, 1} is height, width, channels.
using Shape = std::vector<std::int64_t>;

/// How many values a sample of this shape has; 1 for the empty shape.
std::int64_t size_of(const Shape& shape);

/// "28 x 28 x 1".
std::string to_string(const Shape& shape);

}  // namespace systole::nn
