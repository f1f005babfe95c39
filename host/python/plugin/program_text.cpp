#include "host/python/plugin/program_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace systole::tensorflow {

std::string type(const Shape& shape) {
  return fmt::format("tensor<{}{}f32>", fmt::join(shape, "x"), shape.empty() ? "" : "x");
}

std::string program(const Shape& a, const Shape& b, const Shape& y, std::string_view body) {
  return fmt::format(
      "module {{\n  func.func public @main(%a: {0}, %b: {1}) -> ({2}) {{\n{3}    return %y : {2}\n"
      "  }}\n}}\n",
      type(a), type(b), type(y), body);
}

bool needs_device(const Tensor& a, const Tensor& b, const Tensor& y) {
  if (a.size() > 0 && b.size() > 0 && y.size() > 0) return true;
  std::ranges::fill(y.values<float>(), 0.0f);
  return false;
}

}  // namespace systole::tensorflow
