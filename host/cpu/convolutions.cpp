#include <omp.h>

#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "host/cpu/images.h"
#include "host/cpu/kernel.h"
#include "host/cpu/parallel.h"
#include "systole/support/ceil_div.h"

// Convolutions of images are oneDNN's, some images at a time, each part on one thread: so the order
// of sums does not depend on threads.
namespace systole::graph {
namespace {

using dnnl::memory;
using std::int64_t;
using Kind = ImageConvolution::Kind;

constexpr int64_t kImageParts = 32;  // of Y or dX
constexpr int64_t kSumParts = 8;     // of dW: each is a sum of its own

const dnnl::engine& processor() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

// oneDNN starts threads where it is called outside a parallel region, unless OpenMP has one thread.
class OneThread {
 public:
  OneThread() : saved_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(saved_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int saved_;
};

// This thread's, until the next call.
float* scratch(std::size_t count) {
  thread_local std::vector<float> values;
  if (values.size() < count) values.resize(count);
  return values.data();
}

memory memory_at(const memory::desc& desc, const float* values) {
  return {desc, processor(), const_cast<float*>(values)};
}

void run(const dnnl::primitive& primitive, const std::unordered_map<int, memory>& operands) {
  dnnl::stream stream(processor());
  primitive.execute(stream, operands);
  stream.wait();
}

void reorder(const memory& from, const memory& to) {
  const OneThread one;
  run(dnnl::reorder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

struct Primitive {
  dnnl::primitive run;
  memory::desc x, weights, y, scratchpad;
};

// How far windows reach past the last element; negative where they leave some out.
int64_t high(const WindowDimension& window) {
  return (window.output - 1) * window.stride +
         WindowDimension::dilated(window.size, window.dilation) - window.input - window.low;
}

memory::desc kernel_desc(const Images& images, int64_t filters, memory::format_tag tag) {
  return {{filters, images.channels, images.y.size, images.x.size}, memory::data_type::f32, tag};
}

// weights: where they lie in memory; `any` leaves it to oneDNN.
Primitive make(Kind kind, const Images& images, int64_t filters, const memory::desc& weights) {
  const auto& [batch, channels, y, x] = images;
  constexpr auto kType = memory::data_type::f32;
  constexpr auto kTag = memory::format_tag::nhwc;
  constexpr auto kDirect = dnnl::algorithm::convolution_direct;
  const memory::desc input({batch, channels, y.input, x.input}, kType, kTag);
  const memory::desc output({batch, filters, y.output, x.output}, kType, kTag);
  const memory::dims strides{y.stride, x.stride}, holes{y.dilation - 1, x.dilation - 1};
  const memory::dims before{y.low, x.low}, after{high(y), high(x)};
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);  // threads other than this run it
  const OneThread one;
  const dnnl::convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, kDirect, input,
       kind == Kind::kForward ? weights : kernel_desc(images, filters, memory::format_tag::any),
       output, strides, holes, before, after},
      attributes, processor());
  switch (kind) {
    case Kind::kForward:
      return {dnnl::convolution_forward(forward), input, forward.weights_desc(), output,
              forward.scratchpad_desc()};
    case Kind::kInputGradient: {
      const dnnl::convolution_backward_data::primitive_desc gradient(
          {kDirect, input, weights, output, strides, holes, before, after}, attributes, processor(),
          forward);
      return {dnnl::convolution_backward_data(gradient), input, gradient.weights_desc(), output,
              gradient.scratchpad_desc()};
    }
    case Kind::kKernelGradient: {
      const dnnl::convolution_backward_weights::primitive_desc gradient(
          {kDirect, input, weights, output, strides, holes, before, after}, attributes, processor(),
          forward);
      return {dnnl::convolution_backward_weights(gradient), input, gradient.diff_weights_desc(),
              output, gradient.scratchpad_desc()};
    }
  }
  return {};
}

class Convolution {
 public:
  Convolution(Kind kind, const Images& images, int64_t filters)
      : kind_(kind), images_(images), filters_(filters) {
    const int64_t most = kind == Kind::kKernelGradient ? kSumParts : kImageParts;
    Images part = images;
    part.batch = block_ = ceil_div(images.batch, most);
    whole_ = make(kind, part, filters, kernel_desc(images, filters, memory::format_tag::any));
    part.batch = images.batch % block_;
    if (part.batch != 0) last_ = make(kind, part, filters, whole_.weights);
  }

  const Images& images() const { return images_; }
  int64_t parts() const { return ceil_div(images_.batch, block_); }
  /// Weights as the graph has them, and as `run` takes and returns them.
  memory::desc plain() const { return kernel_desc(images_, filters_, memory::format_tag::hwio); }
  const memory::desc& weights() const { return whole_.weights; }

  // X, Y and weights, or their gradients; writes the one that the kind says.
  void run(int64_t part, const float* x, const float* y, const memory& weights) const {
    const int64_t first = part * block_;
    const Primitive& primitive = images_.batch - first < block_ ? last_ : whole_;
    const OneThread one;
    graph::run(
        primitive.run,
        {{kind_ == Kind::kInputGradient ? DNNL_ARG_DIFF_SRC : DNNL_ARG_SRC,
          memory_at(primitive.x, x + first * images_.size())},
         {kind_ == Kind::kForward ? DNNL_ARG_DST : DNNL_ARG_DIFF_DST,
          memory_at(primitive.y, y + first * images_.positions() * filters_)},
         {kind_ == Kind::kKernelGradient ? DNNL_ARG_DIFF_WEIGHTS : DNNL_ARG_WEIGHTS, weights},
         {DNNL_ARG_SCRATCHPAD,
          memory_at(primitive.scratchpad,
                    scratch(primitive.scratchpad.get_size() / sizeof(float) + 1))}});
  }

  // The kernel whose rows and columns this one mirrors, in this thread's scratch memory.
  const float* mirrored(const float* kernel) const {
    const int64_t taps = images_.y.size * images_.x.size, each = images_.channels * filters_;
    float* to = scratch(taps * each);
    for (int64_t tap = taps; tap-- > 0;) to = std::copy_n(kernel + tap * each, each, to);
    return to - taps * each;
  }

 private:
  Kind kind_;
  Images images_;
  int64_t filters_, block_ = 1;
  Primitive whole_, last_;
};

// Y from X, or dX from dY and the mirrored kernel.
Kernel images_kernel(const Convolution& convolution, bool forward, const Operation& operation) {
  return {.run = [=, &operation, weights = memory(convolution.weights(), processor())](
                     Pointers pointers, int threads) {
    const float* from = pointer<float>(pointers, operation.operands[0]);
    const float* kernel = pointer<float>(pointers, operation.operands[1]);
    const float* to = pointer<float>(pointers, operation.results[0]);
    reorder(memory_at(convolution.plain(), forward ? kernel : convolution.mirrored(kernel)),
            weights);
    for_each_part(threads, convolution.parts(), [&](int64_t part) {
      convolution.run(part, forward ? from : to, forward ? to : from, weights);
    });
  }};
}

// oneDNN's gradients of 1 x 1 kernels with strides write past their memory where channels are few
// (https://github.com/uxlfoundation/oneDNN/issues/6035).
bool overruns(const Images& images) {
  return images.patch() == images.channels && images.channels < 16 &&
         (images.y.stride != 1 || images.x.stride != 1);
}

// The pixels under such a kernel, as images.
Images picked(const Images& images) {
  const auto dense = [](int64_t size) {
    return WindowDimension{.input = size, .size = 1, .output = size};
  };
  return {.batch = images.batch,
          .channels = images.channels,
          .y = dense(images.y.output),
          .x = dense(images.x.output)};
}

Kernel kernel_gradient(const Images& images, int64_t filters, const Operation& operation) {
  const bool picks = overruns(images);
  const Convolution convolution(Kind::kKernelGradient, picks ? picked(images) : images, filters);
  std::vector<memory> sums;
  for (int64_t part = 0; part < convolution.parts(); ++part) {
    sums.emplace_back(convolution.weights(), processor());
  }
  const std::size_t size = convolution.weights().get_size() / sizeof(float);
  return {.run = [=, &operation, picked = std::make_shared<std::vector<float>>()](Pointers pointers,
                                                                                  int threads) {
    const float* x = pointer<float>(pointers, operation.operands[0]);
    const float* d_y = pointer<float>(pointers, operation.operands[1]);
    if (picks) {
      const int64_t count = images.batch * images.positions();
      picked->resize(count * images.patch());
      images.lay_out(x, 0, count, picked->data());
      x = picked->data();
    }
    for_each_part(threads, convolution.parts(),
                  [&](int64_t part) { convolution.run(part, x, d_y, sums[part]); });
    auto* total = static_cast<float*>(sums[0].get_data_handle());
    for (std::size_t part = 1; part < sums.size(); ++part) {
      const auto* more = static_cast<const float*>(sums[part].get_data_handle());
      for (std::size_t i = 0; i < size; ++i) total[i] += more[i];
    }
    reorder(sums[0],
            memory_at(convolution.plain(), pointer<float>(pointers, operation.results[0])));
  }};
}

}  // namespace

Kernel convolution_kernel(const Graph& graph, const Operation& operation) {
  const auto found = image_convolution(graph, operation);
  if (!found || graph.type(operation.operands[0]).element != Element::kF32) return {};
  const Images& images = found->images;
  const auto fits = [](const WindowDimension& window) {
    return window.low >= 0 && high(window) > -window.stride;
  };
  const int64_t macs = images.batch * images.positions() * images.patch() * found->filters;
  if (macs == 0 || !fits(images.y) || !fits(images.x)) return {};
  Kernel kernel = found->kind == Kind::kKernelGradient
                      ? kernel_gradient(images, found->filters, operation)
                      : images_kernel({found->kind, images, found->filters},
                                      found->kind == Kind::kForward, operation);
  kernel.macs = macs;
  return kernel;
}

}  // namespace systole::graph
