#include "host/nn/conv2d.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "host/nn/im2col.h"
#include "host/nn/parallel.h"

namespace systole::nn {
namespace {

template <typename T>
std::span<T> part(std::vector<T>& values, std::int64_t first, std::int64_t count) {
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
    loaded_version_ = 0;
    return {window_.output.height, window_.output.width, options_.filters};
  }

  void forward(const Pass& pass, const Tensor& input, Tensor& output) override {
    load_weight(pass.multiplier);
    output.resize(input.rows, window_.output_positions() * options_.filters);
    keeps_patches_ = pass.training && input.rows * sample_patches() <= options_.memory.kept_values;
    for_each_slab(input.rows, [&](const Slab& slab) {
      load_patches(pass, input, slab);
      const auto y =
          part(output.values, slab.first * output.row_size, slab.count * output.row_size);
      pass.multiplier.multiply({.a = patches_of(slab),
                                .b = w_,
                                .rows = slab.count * window_.output_positions(),
                                .depth = window_.patch_size(),
                                .cols = options_.filters},
                               y);
      add_bias(pass, y);
    });
  }

  void backward(const Pass& pass, const Tensor& input, const Tensor&, const Tensor& d_output,
                Tensor* d_input) override {
    std::ranges::fill(weight().gradient, 0.0f);
    std::ranges::fill(bias().gradient, 0.0f);
    if (d_input != nullptr) d_input->resize(input.rows, window_.input_size());
    for_each_slab(input.rows, [&](const Slab& slab) {
      if (!keeps_patches_) load_patches(pass, input, slab);
      const auto d_y = std::span(d_output.values)
                           .subspan(static_cast<std::size_t>(slab.first * d_output.row_size),
                                    static_cast<std::size_t>(slab.count * d_output.row_size));
      pass.multiplier.load(d_y_, d_y, Rounding::kStochastic);
      add_weight_gradient(pass, slab);
      add_bias_gradient(d_y);
      if (d_input != nullptr) write_input_gradient(pass, slab, *d_input);
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

  template <typename Work>
  void for_each_slab(std::int64_t rows, const Work& work) {
    const std::int64_t most =
        std::max<std::int64_t>(1, options_.memory.slab_values / sample_patches());
    Slab slab{.index = 0, .first = 0, .count = 0};
    for (; slab.first < rows; slab.first += slab.count, ++slab.index) {
      slab.count = std::min(most, rows - slab.first);
      if (patches_.size() <= slab.index) patches_.resize(slab.index + 1);
      work(slab);
    }
  }

  // Converted once per update, not once per product.
  void load_weight(Multiplier& multiplier) {
    if (loaded_version_ == weight().version) return;
    multiplier.load(w_, weight().value);
    loaded_version_ = weight().version;
  }

  void load_patches(const Pass& pass, const Tensor& input, const Slab& slab) {
    staging_.resize(static_cast<std::size_t>(slab.count * sample_patches()));
    parallel_for(pass.threads(), slab.count, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        im2col(window_, input.row(slab.first + i).data(), staging_.data() + i * sample_patches());
      }
    });
    pass.multiplier.load(patches_of(slab), staging_);
  }

  void add_bias(const Pass& pass, std::span<float> y) {
    const std::int64_t filters = options_.filters;
    const float* b = bias().value.data();
    const auto positions = static_cast<std::int64_t>(y.size()) / filters;
    parallel_for(pass.threads(), positions, 1024, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t p = begin; p < end; ++p) {
        float* to = y.data() + p * filters;
        for (std::int64_t f = 0; f < filters; ++f) to[f] += b[f];
      }
    });
  }

  void add_weight_gradient(const Pass& pass, const Slab& slab) {
    auto& gradient = weight().gradient;
    slab_gradient_.resize(gradient.size());
    pass.multiplier.multiply({.a = patches_of(slab),
                              .b = d_y_,
                              .rows = window_.patch_size(),
                              .depth = slab.count * window_.output_positions(),
                              .cols = options_.filters,
                              .transpose_a = true},
                             slab_gradient_);
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] += slab_gradient_[i];
  }

  void add_bias_gradient(std::span<const float> d_y) {
    float* sum = bias().gradient.data();
    const auto filters = static_cast<std::size_t>(options_.filters);
    for (std::size_t p = 0; p < d_y.size(); p += filters) {
      for (std::size_t f = 0; f < filters; ++f) sum[f] += d_y[p + f];
    }
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

  Conv2D options_;
  Window window_;
  std::vector<Parameter> parameters_;
  std::vector<Operand> patches_;
  Operand w_, d_y_;
  std::uint64_t loaded_version_ = 0;
  bool keeps_patches_ = false;
  std::vector<float> staging_;  // patches on their way to the device, or their gradient back
  std::vector<float> slab_gradient_;
};

}  // namespace

std::unique_ptr<Layer> Conv2D::make() const {
  return with_activation(std::make_unique<Conv2DLayer>(*this), activation);
}

}  // namespace systole::nn
