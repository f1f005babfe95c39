// Pooling by maximum, and tensors that are filled or repeated, as loops on this processor.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "host/python/plugin/lines.h"

namespace systole::tensorflow {
namespace {

// Windows of images [batch, rows, columns, channels].
class Pooling {
 public:
  explicit Pooling(const Construction& made)
      : size_(made.integers("ksize")),
        strides_(made.integers("strides")),
        same_(made.text("padding") == "SAME") {
    if (made.text("data_format") != "NHWC" || (!same_ && made.text("padding") != "VALID") ||
        size_[0] != 1 || size_[3] != 1 || strides_[0] != 1 || strides_[3] != 1) {
      throw Failure(Code::kInvalidArgument,
                    "pooling needs channels_last and windows of one image and channel");
    }
  }

 protected:
  struct Axis {
    std::int64_t input, size, stride, output, low;
    // The first element of a window, and the one after its last.
    std::int64_t begin(std::int64_t at) const {
      return std::max<std::int64_t>(0, at * stride - low);
    }
    std::int64_t end(std::int64_t at) const { return std::min(input, at * stride - low + size); }
  };
  Axis axis(const Shape& image, std::size_t i) const {
    Axis axis{image[i], size_[i], strides_[i], 0, 0};
    axis.output = same_ ? (axis.input + axis.stride - 1) / axis.stride
                        : std::max<std::int64_t>(0, (axis.input - axis.size) / axis.stride + 1);
    if (same_) {
      axis.low =
          std::max<std::int64_t>(0, (axis.output - 1) * axis.stride + axis.size - axis.input) / 2;
    }
    return axis;
  }

  static void check(const Tensor& image) {
    if (image.rank() == 4) return;
    throw Failure(Code::kInvalidArgument,
                  fmt::format("pooling of {} needs 4 dimensions", to_string(image.shape())));
  }

  // Calls window(the result's first element, the image's first of each pixel) for each window; a
  // pixel's channels follow each other, so loops over them are vectors.
  template <typename Work>
  void each_window(const Shape& shape, const Work& window) const {
    const Axis rows = axis(shape, 1), columns = axis(shape, 2);
    const std::int64_t channels = shape[3];
    std::vector<std::int64_t> pixels;
    std::int64_t result = 0;
    for (std::int64_t n = 0; n < shape[0]; ++n) {
      for (std::int64_t row = 0; row < rows.output; ++row) {
        for (std::int64_t column = 0; column < columns.output; ++column, result += channels) {
          pixels.clear();
          for (std::int64_t y = rows.begin(row); y < rows.end(row); ++y) {
            for (std::int64_t x = columns.begin(column); x < columns.end(column); ++x) {
              pixels.push_back(((n * rows.input + y) * columns.input + x) * channels);
            }
          }
          window(result, pixels);
        }
      }
    }
  }

  static void take_larger(const float* x, std::int32_t number, std::vector<float>& best,
                          std::vector<std::int32_t>& where) {
    for (std::size_t c = 0; c < best.size(); ++c) {
      const bool is_larger = x[c] > best[c];
      best[c] = is_larger ? x[c] : best[c];
      where[c] = is_larger ? number : where[c];
    }
  }

  Shape result(const Shape& image) const {
    return {image[0], axis(image, 1).output, axis(image, 2).output, image[3]};
  }

 private:
  std::vector<std::int32_t> size_, strides_;
  bool same_;
};

struct MaxPool : Pooling {
  using Pooling::Pooling;
  void compute(const Context& context) const {
    const Tensor image = context.input(0);
    check(image);
    const Tensor y = context.output(0, TF_FLOAT, result(image.shape()));
    const std::int64_t channels = image.shape()[3];
    const float* from = image.values<float>().data();
    each_window(image.shape(), [&](std::int64_t at, const std::vector<std::int64_t>& pixels) {
      float* to = y.values<float>().data() + at;
      std::copy_n(from + pixels[0], channels, to);
      for (std::size_t i = 1; i < pixels.size(); ++i) {
        const float* x = from + pixels[i];
        for (std::int64_t c = 0; c < channels; ++c) to[c] = x[c] > to[c] ? x[c] : to[c];
      }
    });
  }
};

// The first of equal maxima takes the gradient.
struct MaxPoolGrad : Pooling {
  using Pooling::Pooling;
  void compute(const Context& context) const {
    const Tensor image = context.input(0), gradient = context.input(2);
    check(image);
    if (gradient.shape() != result(image.shape())) {
      throw Failure(Code::kInvalidArgument,
                    fmt::format("the gradient of pooling is {}, not {}",
                                to_string(gradient.shape()), to_string(result(image.shape()))));
    }
    const Tensor y = context.output(0, TF_FLOAT, image.shape());
    std::ranges::fill(y.values<float>(), 0.0f);
    const std::int64_t channels = image.shape()[3];
    const float* from = image.values<float>().data();
    std::vector<float> best(static_cast<std::size_t>(channels));
    std::vector<std::int32_t> where(best.size());  // the pixel's number in its window
    each_window(image.shape(), [&](std::int64_t at, const std::vector<std::int64_t>& pixels) {
      std::copy_n(from + pixels[0], channels, best.begin());
      std::ranges::fill(where, 0);
      for (std::size_t i = 1; i < pixels.size(); ++i) {
        take_larger(from + pixels[i], static_cast<std::int32_t>(i), best, where);
      }
      const float* d = gradient.values<float>().data() + at;
      for (std::size_t i = 0; i < pixels.size(); ++i) {
        float* to = y.values<float>().data() + pixels[i];
        const auto number = static_cast<std::int32_t>(i);
        for (std::int64_t c = 0; c < channels; ++c) to[c] += where[c] == number ? d[c] : 0.0f;
      }
    });
  }
};

template <typename T>
struct Fill {
  explicit Fill(const Construction&) {}
  void compute(const Context& context) const {
    const Tensor value = context.input(1);
    const Tensor y = context.output(0, kType<T>, context.input(0).integers());
    std::ranges::fill(y.values<T>(), value.values<T>()[0]);
  }
};

struct BroadcastTo {
  explicit BroadcastTo(const Construction&) {}
  void compute(const Context& context) const {
    const Tensor x = context.input(0);
    const Shape shape = context.input(1).integers();
    if (broadcast(x.shape(), shape) != shape) {
      throw Failure(Code::kInvalidArgument, fmt::format("{} does not broadcast to {}",
                                                        to_string(x.shape()), to_string(shape)));
    }
    const Tensor y = context.output(0, TF_FLOAT, shape);
    const Lines lines(shape, {&x.shape()});
    lines.each([&](std::int64_t first, const auto& offsets, std::int64_t length) {
      const float* from = x.values<float>().data() + offsets[0];
      float* to = y.values<float>().data() + first;
      for (std::int64_t i = 0; i < length; ++i) to[i] = from[i * lines.step(0)];
    });
  }
};

// Repeats are broadcast: [2, 3] by [4, 5] is [1, 2, 1, 3] to [4, 2, 5, 3].
struct Tile {
  explicit Tile(const Construction&) {}
  void compute(const Context& context) const {
    const Tensor x = context.input(0);
    const Shape times = context.input(1).integers();
    if (times.size() != x.shape().size()) {
      throw Failure(Code::kInvalidArgument, fmt::format("{} cannot be repeated {} times",
                                                        to_string(x.shape()), to_string(times)));
    }
    Shape shape, from, to;
    for (std::size_t i = 0; i < times.size(); ++i) {
      shape.push_back(x.shape()[i] * times[i]);
      from.insert(from.end(), {1, x.shape()[i]});
      to.insert(to.end(), {times[i], x.shape()[i]});
    }
    const Tensor y = context.output(0, TF_FLOAT, shape);
    const Lines lines(to, {&from});
    lines.each([&](std::int64_t first, const auto& offsets, std::int64_t length) {
      const float* source = x.values<float>().data() + offsets[0];
      float* target = y.values<float>().data() + first;
      for (std::int64_t i = 0; i < length; ++i) target[i] = source[i * lines.step(0)];
    });
  }
};

}  // namespace

void add_pooling() {
  add_kernel<MaxPool>("MaxPool", {{"T", TF_FLOAT}});
  add_kernel<MaxPoolGrad>("MaxPoolGrad", {{"T", TF_FLOAT}});
  add_kernel<Fill<float>>("Fill", {{"T", TF_FLOAT}}, {"dims"});
  add_kernel<Fill<std::int64_t>>("Fill", {{"T", TF_INT64}}, {"dims"});
  add_kernel<BroadcastTo>("BroadcastTo", {{"T", TF_FLOAT}}, {"shape"});
  add_kernel<Tile>("Tile", {{"T", TF_FLOAT}}, {"multiples"});
}

}  // namespace systole::tensorflow
