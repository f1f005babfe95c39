#include "host/nn/layers/conv2d.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "host/nn/layers/im2col.h"
#include "host/nn/numbers/parallel.h"
#include "host/runtime/convert.h"

namespace systole::nn {
namespace {

std::span<float> part(std::vector<float>& values, std::int64_t first, std::int64_t count) {
  return std::span(values).subspan(static_cast<std::size_t>(first),
                                   static_cast<std::size_t>(count));
}
std::span<const float> part(const std::vector<float>& values, std::int64_t first,
                            std::int64_t count) {
  return std::span(values).subspan(static_cast<std::size_t>(first),
                                   static_cast<std::size_t>(count));
}

class Conv2DLayer : public Layer {
 public:
  explicit Conv2DLayer(const Conv2D& options) : options_(options) {}

  std::string kind() const override { return "Conv2D"; }

  Shape build(const Shape& input, Generator& generator) override {
    if (options_.filters < 1) {
      throw std::invalid_argument(fmt::format("Conv2D: filters is {}, not >= 1", options_.filters));
    }
    window_ = make_window("Conv2D", input, options_.kernel, options_.strides, options_.padding);
    const auto [height, width] = options_.kernel;
    parameters_.clear();
    parameters_.emplace_back("weight", Shape{height, width, window_.channels, options_.filters});
    parameters_.emplace_back("bias", Shape{options_.filters});
    initialize(weight().value, options_.initializer, window_.patch_size(),
               height * width * options_.filters, generator);
    // A new build may be for another device.
    patches_.clear();
    w_ = b_ = d_y_ = {};
    gradients_ = {};
    weight_version_ = bias_version_ = 0;
    return {window_.output.height, window_.output.width, options_.filters};
  }

  void forward(const Pass& pass, const Tensor& input, Tensor& output) override {
    load_parameters(pass.multiplier);
    output.resize(input.rows, window_.output_positions() * options_.filters);
    keeps_patches_ = pass.training && input.rows * sample_patches() <= options_.memory.kept_values;
    for_each_slab(input.rows, [&](const Slab& slab) {
      load_patches(pass, input, slab);
      pass.multiplier.multiply(
          {.a = patches_of(slab),
           .b = w_,
           .rows = slab.count * window_.output_positions(),
           .depth = window_.patch_size(),
           .cols = options_.filters},
          part(output.values, slab.first * output.row_size, slab.count * output.row_size),
          {.bias = &b_});
    });
  }

  void backward(const Pass& pass, const Tensor& input, const Tensor&, const Tensor& d_output,
                Tensor* d_input) override {
    if (d_input != nullptr) d_input->resize(input.rows, window_.input_size());
    for_each_slab(input.rows, [&](const Slab& slab) {
      if (!keeps_patches_) load_patches(pass, input, slab);
      pass.multiplier.load(
          d_y_,
          part(d_output.values, slab.first * d_output.row_size, slab.count * d_output.row_size),
          Rounding::kStochastic);
      const bool alone = slab.count == input.rows;
      auto& d_weight = alone ? weight().gradient : slab_weight_;
      auto& d_bias = alone ? bias().gradient : slab_bias_;
      d_weight.resize(weight().value.size());
      d_bias.resize(bias().value.size());
      pass.multiplier.multiply({.a = patches_of(slab),
                                .b = d_y_,
                                .rows = window_.patch_size(),
                                .depth = slab.count * window_.output_positions(),
                                .cols = options_.filters,
                                .transpose_a = true},
                               gradients_, d_weight, d_bias);
      if (d_input != nullptr) write_input_gradient(pass, slab, *d_input);
      if (!alone) add_gradients(pass, slab);
    });
  }

  std::span<Parameter> parameters() override { return parameters_; }

 private:
  // Samples [first, first + count) of a batch; the index says which operand holds their patches.
  struct Slab {
    std::size_t index;
    std::int64_t first, count;
  };

  Parameter& weight() { return parameters_[0]; }
  Parameter& bias() { return parameters_[1]; }
  std::int64_t sample_patches() const { return window_.output_positions() * window_.patch_size(); }
  Operand& patches_of(const Slab& slab) { return patches_[keeps_patches_ ? slab.index : 0]; }

  // Slabs are as many as there must be for memory and for int8's depth, and of one size as far as
  // that goes.
  template <typename Work>
  void for_each_slab(std::int64_t rows, const Work& work) {
    const std::int64_t samples = std::min(options_.memory.slab_values / sample_patches(),
                                          kMaxInt8Depth / window_.output_positions());
    const std::int64_t most = std::max<std::int64_t>(1, samples);
    const std::int64_t slabs = (rows + most - 1) / most;
    patches_.resize(std::max(patches_.size(), static_cast<std::size_t>(slabs)));
    for (std::int64_t i = 0; i < slabs; ++i) {
      const std::int64_t first = rows * i / slabs;
      work(Slab{.index = static_cast<std::size_t>(i),
                .first = first,
                .count = rows * (i + 1) / slabs - first});
    }
  }

  // Once per update, not once per product.
  void load_parameters(Multiplier& multiplier) {
    if (weight_version_ != weight().version) multiplier.load(w_, weight().value);
    if (bias_version_ != bias().version) multiplier.load_bias(b_, bias().value);
    weight_version_ = weight().version;
    bias_version_ = bias().version;
  }

  // Rounded before they are laid out: a value is in a patch for each of its window's taps.
  void load_patches(const Pass& pass, const Tensor& input, const Slab& slab) {
    const auto images =
        part(input.values, slab.first * input.row_size, slab.count * input.row_size);
    if (pass.multiplier.precision() != DataType::kBf16) {
      pass.multiplier.load(patches_of(slab), lay_out(pass, images, slab.count, staging_));
      return;
    }
    rounded_images_.resize(images.size());
    convert_to_bf16(images, rounded_images_);
    pass.multiplier.load(
        patches_of(slab),
        lay_out(pass, std::span<const std::uint16_t>(rounded_images_), slab.count, words_));
  }

  template <typename T>
  std::span<const T> lay_out(const Pass& pass, std::span<const T> images, std::int64_t count,
                             std::vector<T>& patches) const {
    patches.resize(static_cast<std::size_t>(count * sample_patches()));
    parallel_for(pass.threads(), count, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        im2col(window_, images.data() + i * window_.input_size(),
               patches.data() + i * sample_patches());
      }
    });
    return patches;
  }

  void write_input_gradient(const Pass& pass, const Slab& slab, Tensor& d_input) {
    staging_.resize(static_cast<std::size_t>(slab.count * sample_patches()));
    pass.multiplier.multiply({.a = d_y_,
                              .b = w_,
                              .rows = slab.count * window_.output_positions(),
                              .depth = options_.filters,
                              .cols = window_.patch_size(),
                              .transpose_b = true},
                             staging_);
    parallel_for(pass.threads(), slab.count, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        col2im(window_, staging_.data() + i * sample_patches(), d_input.row(slab.first + i).data());
      }
    });
  }

  // What a slab's products have left, behind that of the slabs before it.
  void add_gradients(const Pass& pass, const Slab& slab) {
    pass.multiplier.wait();
    const auto add = [&](const std::vector<float>& part, std::vector<float>& sum) {
      if (slab.first == 0) std::ranges::fill(sum, 0.0f);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
    };
    add(slab_weight_, weight().gradient);
    add(slab_bias_, bias().gradient);
  }

  Conv2D options_;
  Window window_;
  std::vector<Parameter> parameters_;
  std::vector<Operand> patches_;
  Operand w_, b_, d_y_;
  GradientBuffers gradients_;
  std::uint64_t weight_version_ = 0, bias_version_ = 0;
  bool keeps_patches_ = false;
  std::vector<float> staging_;  // patches on their way to the device, or their gradient back
  std::vector<std::uint16_t> rounded_images_, words_;  // the same in bf16
  std::vector<float> slab_weight_, slab_bias_;         // gradients of one slab
};

}  // namespace

std::unique_ptr<Layer> Conv2D::make() const {
  return with_activation(std::make_unique<Conv2DLayer>(*this), activation);
}

}  // namespace systole::nn
