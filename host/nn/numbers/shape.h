#pragma once

#include <string>

#include "host/graph/type.h"

namespace systole::nn {

/// The dimensions of one sample, without the batch: {28, 28, 1} is height, width, channels.
using Shape = graph::Shape;

/// The number of values in a sample of this shape; 1 for the empty shape.
inline std::int64_t size_of(const Shape& shape) { return graph::element_count(shape); }

/// "28 x 28 x 1".
std::string to_string(const Shape& shape);

}  // namespace systole::nn
