// Pooling by maximum, and tensors that are filled or repeated, as loops on this processor.
#include "host/python/core/pooling.h"

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
        size_[0] != 1 || size_[3] != 1 || strides_[0] != 1 || strides_[3] != 1 ||
        std::min({size_[1], size_[2], strides_[1], strides_[2]}) < 1) {
      refuse("pooling needs channels_last and windows of one image and channel");
    }
  }

 protected:
  Pooling pooling(const Shape& image) const {
    if (image.size() != 4) {
      refuse("pooling of {} needs 4 dimensions", image);
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
      refuse("the gradient of pooling is {}, not {}", gradient.shape(), result(pooling));
    }
    const Tensor y = context.output(0, TF_FLOAT, x.shape());
    max_pool_gradient(pooling, x.values<float>().data(), gradient.values<float>().data(),
                      y.values<float>().data(), context.threads());
  }
};

template <typename T>
struct Fill {
  void compute(const Context& context) const {
    const Tensor value = context.input(1);
    const Tensor y = context.output(0, kType<T>, context.input(0).integers());
    std::ranges::fill(y.values<T>(), value.values<T>()[0]);
  }
};

// Writes x to `shape`, of which y has the elements; x has the shape `from` for that.
template <typename T>
void repeat(const Tensor& x, const Shape& from, const Shape& shape, const Tensor& y) {
  const Lines lines(shape, {&from});
  lines.each([&](std::int64_t first, const auto& offsets, std::int64_t length) {
    const T* source = x.values<T>().data() + offsets[0];
    T* target = y.values<T>().data() + first;
    for (std::int64_t i = 0; i < length; ++i) target[i] = source[i * lines.step(0)];
  });
}

template <typename T>
struct BroadcastTo {
  void compute(const Context& context) const {
    const Tensor x = context.input(0);
    const Shape shape = context.input(1).integers();
    if (broadcast(x.shape(), shape) != shape) {
      refuse("{} does not broadcast to {}", x.shape(), shape);
    }
    repeat<T>(x, x.shape(), shape, context.output(0, kType<T>, shape));
  }
};

// Repeats are broadcast: [2, 3] by [4, 5] is [1, 2, 1, 3] to [4, 2, 5, 3].
template <typename T>
struct Tile {
  void compute(const Context& context) const {
    const Tensor x = context.input(0);
    const Shape times = context.input(1).integers();
    if (times.size() != x.shape().size() ||
        std::ranges::any_of(times, [](std::int64_t count) { return count < 0; })) {
      refuse("{} cannot be repeated {} times", x.shape(), times);
    }
    Shape shape, from, to;
    for (std::size_t i = 0; i < times.size(); ++i) {
      shape.push_back(x.shape()[i] * times[i]);
      from.insert(from.end(), {1, x.shape()[i]});
      to.insert(to.end(), {times[i], x.shape()[i]});
    }
    repeat<T>(x, from, to, context.output(0, kType<T>, shape));
  }
};

// What an optimizer of TensorFlow's may write for any type.
template <typename T>
void add_repeats() {
  add_typed_kernel<T, Fill<T>>("Fill", {"dims"});
  add_typed_kernel<T, BroadcastTo<T>>("BroadcastTo", {"shape"});
  add_typed_kernel<T, Tile<T>>("Tile", {"multiples"});
}

}  // namespace

void add_pooling() {
  add_float_kernel<MaxPool>("MaxPool");
  add_float_kernel<MaxPoolGrad>("MaxPoolGrad");
  add_repeats<float>();
  add_repeats<std::int64_t>();
  add_repeats<bool>();
  // int32 lies in host memory; TensorFlow has its own Fill.
  add_kernel<BroadcastTo<std::int32_t>>("BroadcastTo", {{"T", TF_INT32}},
                                        {"input", "shape", "output"});
  add_kernel<Tile<std::int32_t>>("Tile", {{"T", TF_INT32}}, {"input", "multiples", "output"});
}

}  // namespace systole::tensorflow
