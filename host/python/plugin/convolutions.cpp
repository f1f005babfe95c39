// Conv2D and its gradients as StableHLO convolutions, in the layouts that JAX gives them.
#include <fmt/format.h>

#include <algorithm>

#include "host/python/plugin/context.h"

namespace systole::tensorflow {
namespace {

// One spatial dimension of a convolution.
struct Window {
  std::int64_t input, kernel, output, stride, dilation, low;

  std::int64_t reach() const { return (kernel - 1) * dilation; }
  std::int64_t high() const { return (output - 1) * stride + reach() + 1 - input - low; }
};

class Convolution {
 public:
  explicit Convolution(const Construction& made)
      : strides_(made.integers("strides")),
        dilations_(made.integers("dilations")),
        explicit_(made.integers("explicit_paddings")),
        padding_(made.text("padding")) {
    if (made.text("data_format") != "NHWC") {
      refuse("data_format NCHW is not supported: use channels_last");
    }
    if (strides_[0] != 1 || strides_[3] != 1 || dilations_[0] != 1 || dilations_[3] != 1) {
      refuse("strides and dilations of batch and channels must be 1");
    }
    if (std::min({strides_[1], strides_[2], dilations_[1], dilations_[2]}) < 1) {
      refuse("strides and dilations must be at least 1");
    }
  }

 protected:
  template <typename... T>
  [[noreturn]] static void refuse(fmt::format_string<T...> text, T&&... arguments) {
    tensorflow::refuse("convolution: {}", fmt::format(text, std::forward<T>(arguments)...));
  }

  // The image's result, [batch, rows, columns, filters], and its windows.
  struct Place {
    Window rows, columns;
    Shape result;
  };
  Place place(const Shape& image, const Shape& kernel) const {
    if (image.size() != 4 || kernel.size() != 4) {
      refuse("image {} and kernel {} need 4 dimensions", image, kernel);
    }
    if (image[3] != kernel[2]) {
      refuse("{} channels and a kernel for {}: groups are not supported", image[3], kernel[2]);
    }
    const Window rows = window(image, kernel, 1), columns = window(image, kernel, 2);
    return {rows, columns, {image[0], rows.output, columns.output, kernel[3]}};
  }

  static void check(const Shape& gradient, const Place& place) {
    if (gradient != place.result) {
      refuse("the gradient is {}, not {}", gradient, place.result);
    }
  }

  static void run(const Context& context, ConvolutionText convolution, const Tensor& a,
                  const Tensor& b, const Tensor& y) {
    convolution.asked = asked(a, b);
    const systole_buffer operands[] = {a.buffer(), b.buffer()};
    context.core().run(convolution_text(a.shape(), b.shape(), y.shape(), convolution), operands,
                       y.buffer());
  }

 private:
  Window window(const Shape& image, const Shape& kernel, std::size_t axis) const {
    Window window{.input = image[axis],
                  .kernel = kernel[axis - 1],
                  .output = 0,
                  .stride = strides_[axis],
                  .dilation = dilations_[axis],
                  .low = 0};
    const std::int64_t overlap = window.input - window.reach() - 1;
    if (padding_ == "SAME") {
      window.output = (window.input + window.stride - 1) / window.stride;
      window.low = std::max<std::int64_t>(0, (window.output - 1) * window.stride - overlap) / 2;
      return window;
    }
    std::int64_t room = overlap;
    if (padding_ == "EXPLICIT") {
      window.low = explicit_[2 * axis];
      room += window.low + explicit_[2 * axis + 1];
    }
    if (room < 0) {
      refuse("a kernel of {} is larger than the image {}", kernel, image);
    }
    window.output = room / window.stride + 1;
    return window;
  }

  std::vector<std::int32_t> strides_, dilations_, explicit_;
  std::string padding_;
};

class Conv2D : Convolution {
 public:
  using Convolution::Convolution;
  void compute(const Context& context) const {
    const Tensor image = context.input(0), kernel = context.input(1);
    const auto [rows, columns, shape] = place(image.shape(), kernel.shape());
    if (kernel.size() == 0) {
      refuse("a kernel {} has no elements", kernel.shape());
    }
    const Tensor y = context.output(0, TF_FLOAT, shape);
    if (!needs_device(image, kernel, y)) return;
    run(context,
        {.dimensions = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
         .strides = {rows.stride, columns.stride},
         .padding = {rows.low, rows.high(), columns.low, columns.high()},
         .b_dilation = {rows.dilation, columns.dilation}},
        image, kernel, y);
  }
};

// A convolution of the gradient, spread by the strides, with the mirrored kernel.
class Conv2DBackpropInput : Convolution {
 public:
  using Convolution::Convolution;
  void compute(const Context& context) const {
    const Tensor kernel = context.input(1), gradient = context.input(2);
    Shape shape = context.input(0).integers();
    if (shape.size() == 2) shape = {gradient.shape()[0], shape[0], shape[1], kernel.shape()[2]};
    const Place forward = place(shape, kernel.shape());
    check(gradient.shape(), forward);
    const Tensor y = context.output(0, TF_FLOAT, shape);
    if (!needs_device(gradient, kernel, y)) return;
    const auto& [rows, columns, result] = forward;
    const auto pads = [](const Window& window) {
      const std::int64_t low = window.reach() - window.low;
      return std::pair(
          low, window.input - ((window.output - 1) * window.stride + 1) - low + window.reach());
    };
    const auto [top, bottom] = pads(rows);
    const auto [left, right] = pads(columns);
    run(context,
        {.dimensions = "[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]",
         .strides = {1, 1},
         .padding = {top, bottom, left, right},
         .a_dilation = {rows.stride, columns.stride},
         .b_dilation = {rows.dilation, columns.dilation},
         .mirrors_b = true},
        gradient, kernel, y);
  }
};

// A convolution of the image with the gradient, over the batch.
class Conv2DBackpropFilter : Convolution {
 public:
  using Convolution::Convolution;
  void compute(const Context& context) const {
    const Tensor image = context.input(0), gradient = context.input(2);
    const Shape shape = context.input(1).integers();
    const Place forward = place(image.shape(), shape);
    check(gradient.shape(), forward);
    const Tensor y = context.output(0, TF_FLOAT, shape);
    if (!needs_device(image, gradient, y)) return;
    const auto& [rows, columns, result] = forward;
    run(context,
        {.dimensions = "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]",
         .strides = {rows.dilation, columns.dilation},
         .padding = {rows.low, rows.high(), columns.low, columns.high()},
         .b_dilation = {rows.stride, columns.stride}},
        image, gradient, y);
  }
};

}  // namespace

void add_convolutions() {
  add_float_kernel<Conv2D>("Conv2D");
  add_float_kernel<Conv2DBackpropInput>("Conv2DBackpropInput", {"input_sizes"});
  add_float_kernel<Conv2DBackpropFilter>("Conv2DBackpropFilter", {"filter_sizes"});
}

}  // namespace systole::tensorflow
