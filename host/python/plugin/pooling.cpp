// Pooling by maximum, and tensors that are filled or repeated, as loops on this processor.
#include "host/python/core/pooling.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/python/plugin/lines.h"

namespace systole::tensorflow {
namespace {

class PoolingKernel {
 public:
  explicit PoolingKernel(const Construction& made)
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
  Pooling pooling(const Shape& image) const {
    if (image.size() != 4) {
      throw Failure(Code::kInvalidArgument,
                    fmt::format("pooling of {} needs 4 dimensions", to_string(image)));
    }
    return {image[0], axis(image, 1), axis(image, 2), image[3]};
  }

  static Shape result(const Pooling& pooling) {
    return {pooling.images, pooling.rows.output, pooling.columns.output, pooling.channels};
  }

 private:
  PooledAxis axis(const Shape& image, std::size_t i) const {
    PooledAxis axis{.input = image[i], .size = size_[i], .stride = strides_[i], .output = 0};
    axis.output = same_ ? (axis.input + axis.stride - 1) / axis.stride
                        : std::max<std::int64_t>(0, (axis.input - axis.size) / axis.stride + 1);
    if (same_) {
      axis.low =
          std::max<std::int64_t>(0, (axis.output - 1) * axis.stride + axis.size - axis.input) / 2;
    }
    return axis;
  }

  std::vector<std::int32_t> size_, strides_;
  bool same_;
};

struct MaxPool : PoolingKernel {
  using PoolingKernel::PoolingKernel;
  void compute(const Context& context) const {
    const Tensor x = context.input(0);
    const Pooling pooling = this->pooling(x.shape());
    const Tensor y = context.output(0, TF_FLOAT, result(pooling));
    max_pool(pooling, x.values<float>().data(), y.values<float>().data(), context.threads());
  }
};

struct MaxPoolGrad : PoolingKernel {
  using PoolingKernel::PoolingKernel;
  void compute(const Context& context) const {
    const Tensor x = context.input(0), gradient = context.input(2);
    const Pooling pooling = this->pooling(x.shape());
    if (gradient.shape() != result(pooling)) {
      throw Failure(Code::kInvalidArgument,
                    fmt::format("the gradient of pooling is {}, not {}",
                                to_string(gradient.shape()), to_string(result(pooling))));
    }
    const Tensor y = context.output(0, TF_FLOAT, x.shape());
    max_pool_gradient(pooling, x.values<float>().data(), gradient.values<float>().data(),
                      y.values<float>().data(), context.threads());
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
