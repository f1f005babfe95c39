#include "host/python/core/program_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <numeric>

namespace systole::python {
namespace {

std::string type(const Shape& shape) {  // "tensor<2x3xf32>"
  return fmt::format("tensor<{}{}f32>", fmt::join(shape, "x"), shape.empty() ? "" : "x");
}

// A function of two tensors; `body` makes %y from %a and %b.
std::string program(const Shape& a, const Shape& b, const Shape& y, std::string_view body) {
  return fmt::format(
      "module {{\n  func.func public @main(%a: {0}, %b: {1}) -> ({2}) {{\n{3}    return %y : {2}\n"
      "  }}\n}}\n",
      type(a), type(b), type(y), body);
}

}  // namespace

std::int64_t count(std::span<const std::int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::string product_text(const Shape& a, const Shape& b, const Shape& y, bool transpose_a,
                         bool transpose_b, std::int64_t asked) {
  const std::string algorithm =
      asked == 1 ? ""
                 : fmt::format(
                       ", algorithm = <lhs_precision_type = bf16, rhs_precision_type = "
                       "bf16, accumulation_type = f32, lhs_component_count = 1, "
                       "rhs_component_count = 1, num_primitive_operations = {}, "
                       "allow_imprecise_accumulation = false>",
                       asked);
  return program(
      a, b, y,
      fmt::format(
          "    %y = stablehlo.dot_general %a, %b, contracting_dims = [{}] x [{}]{} : ({}, {}) "
          "-> {}\n",
          transpose_a ? 0 : 1, transpose_b ? 1 : 0, algorithm, type(a), type(b), type(y)));
}

std::string convolution_text(const Shape& a, const Shape& b, const Shape& y,
                             const ConvolutionText& convolution) {
  const auto& [dimensions, strides, padding, a_dilation, b_dilation, mirrors_b, asked] =
      convolution;
  const std::string precision = asked == 1 ? ""
                                           : fmt::format(
                                                 ", precision_config = [#stablehlo<precision {0}>, "
                                                 "#stablehlo<precision {0}>]",
                                                 asked == 3 ? "HIGH" : "HIGHEST");
  const std::string mirror =
      mirrors_b ? fmt::format("    %r = stablehlo.reverse %b, dims = [0, 1] : {}\n", type(b)) : "";
  return program(
      a, b, y,
      fmt::format("{}    %y = stablehlo.convolution(%a, {}) dim_numbers = {}, window = {{stride = "
                  "[{}], pad = [[{}, {}], [{}, {}]], lhs_dilate = [{}], rhs_dilate = [{}]}} "
                  "{{batch_group_count = 1 : i64, feature_group_count = 1 : i64{}}} : ({}, {}) -> "
                  "{}\n",
                  mirror, mirrors_b ? "%r" : "%b", dimensions, fmt::join(strides, ", "), padding[0],
                  padding[1], padding[2], padding[3], fmt::join(a_dilation, ", "),
                  fmt::join(b_dilation, ", "), precision, type(a), type(b), type(y)));
}

}  // namespace systole::python
