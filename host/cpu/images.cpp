#include "host/cpu/images.h"

#include "host/graph/attribute.h"

namespace systole::graph {
namespace {

// The value that this one mirrors along rows and columns; the value itself if mirroring changes
// nothing.
int reversed(const Graph& graph, int kernel) {
  const Shape& shape = graph.type(kernel).shape;
  if (shape[0] == 1 && shape[1] == 1) return kernel;
  const Operation* operation = graph.maker(kernel);
  const bool is_mirror = operation != nullptr && operation->kind->name == "reverse" &&
                         attribute<Integers>(*operation, "dimensions") == Integers{0, 1};
  return is_mirror ? operation->operands[0] : -1;
}

// The forward convolution's window, from its input's gradient: a convolution with the mirrored
// kernel and holes where strides skipped.
WindowDimension from_input_gradient(const WindowDimension& window) {
  return {.input = window.output,
          .size = window.size,
          .output = window.input,
          .stride = window.base_dilation,
          .low = WindowDimension::dilated(window.size, window.dilation) - 1 - window.low,
          .dilation = window.dilation};
}

// The same, from its kernel's gradient, whose window is the output's gradient.
WindowDimension from_kernel_gradient(const WindowDimension& window) {
  return {.input = window.input,
          .size = window.output,
          .output = window.size,
          .stride = window.dilation,
          .low = window.low,
          .dilation = window.stride};
}

}  // namespace

std::optional<ImageConvolution> image_convolution(const Graph& graph, const Operation& operation) {
  using Kind = ImageConvolution::Kind;
  if (operation.kind->name != "convolution") return {};
  const Call call = graph.call(operation);
  const Shape &x = call.operands[0].shape, &w = call.operands[1].shape;
  const Type& result = graph.type(operation.results[0]);
  if (x.size() != 4 || element_count(result.shape) == 0) return {};
  const std::string& layout = call.word("dimension_numbers");
  const auto windows = convolution_windows(call, parse_convolution(layout));
  const auto has_holes = [](const WindowDimension& window) { return window.base_dilation != 1; };
  ImageConvolution found{.left = operation.operands[0], .right = operation.operands[1]};
  if (layout == "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]") {
    found.kind = Kind::kInputGradient;
    found.right = reversed(graph, found.right);
    if (found.right < 0 || windows[0].stride != 1 || windows[1].stride != 1) return {};
    found.images = {.batch = x[0],
                    .channels = result.shape[3],
                    .y = from_input_gradient(windows[0]),
                    .x = from_input_gradient(windows[1])};
    found.filters = x[3];
    return found;
  }
  if (std::ranges::any_of(windows, has_holes)) return {};
  found.images = {.batch = x[0], .channels = x[3], .y = windows[0], .x = windows[1]};
  found.filters = w[3];
  if (layout == "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]") return found;
  if (layout != "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]") return {};
  found.kind = Kind::kKernelGradient;
  found.images.y = from_kernel_gradient(windows[0]);
  found.images.x = from_kernel_gradient(windows[1]);
  return found;
}

}  // namespace systole::graph
