#include "host/nn/numbers/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace systole::nn {

std::string to_string(const Shape& shape) { return fmt::format("{}", fmt::join(shape, " x ")); }

}  // namespace systole::nn
