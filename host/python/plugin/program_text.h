#pragma once

#include <string>
#include <string_view>

#include "host/python/plugin/context.h"

namespace systole::tensorflow {

std::string type(const Shape& shape);  ///< "tensor<2x3xf32>"

/// A function of two tensors; `body` makes %y from %a and %b.
std::string program(const Shape& a, const Shape& b, const Shape& y, std::string_view body);

/// Whether there is something to multiply; otherwise fills `y` with 0.
bool needs_device(const Tensor& a, const Tensor& b, const Tensor& y);

}  // namespace systole::tensorflow
