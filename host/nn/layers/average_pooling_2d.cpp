#include "host/nn/layers/average_pooling_2d.h"

#include <algorithm>

#include "host/nn/layers/im2col.h"
#include "host/nn/numbers/parallel.h"

namespace systole::nn {
namespace {

class AveragePooling2DLayer : public Layer {
 public:
  explicit AveragePooling2DLayer(const AveragePooling2D& options) : options_(options) {}

  std::string kind() const override { return "AveragePooling2D"; }

  Shape build(const Shape& input, Generator&) override {
    window_ = make_window(kind(), input, options_.pool, options_.strides.value_or(options_.pool),
                          options_.padding);
    return {window_.output.height, window_.output.width, window_.channels};
  }

  void forward(const Pass& pass, const Tensor& input, Tensor& output) override {
    output.resize(input.rows, window_.output_positions() * window_.channels);
    const std::int64_t channels = window_.channels;
    parallel_for(pass.threads(), input.rows, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const float* image = input.row(i).data();
        for_each_window(output.row(i).data(), [&](float* y, const Taps& rows, const Taps& cols) {
          std::fill_n(y, channels, 0.0f);
          for_each_tap(rows, cols, [&](std::int64_t offset, float) {
            for (std::int64_t k = 0; k < channels; ++k) y[k] += image[offset + k];
          });
          const float share = share_of(rows, cols);
          for (std::int64_t k = 0; k < channels; ++k) y[k] *= share;
        });
      }
    });
  }

  void backward(const Pass& pass, const Tensor& input, const Tensor&, const Tensor& d_output,
                Tensor* d_input) override {
    if (d_input == nullptr) return;
    d_input->resize(input.rows, window_.input_size());
    const std::int64_t channels = window_.channels;
    parallel_for(pass.threads(), input.rows, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        float* d_image = d_input->row(i).data();
        std::fill_n(d_image, window_.input_size(), 0.0f);
        for_each_window(d_output.row(i).data(),
                        [&](const float* d_y, const Taps& rows, const Taps& cols) {
                          for_each_tap(rows, cols, [&](std::int64_t offset, float share) {
                            for (std::int64_t k = 0; k < channels; ++k)
                              d_image[offset + k] += d_y[k] * share;
                          });
                        });
      }
    });
  }

 private:
  static float share_of(const Taps& rows, const Taps& cols) {
    return 1.0f / static_cast<float>((rows.last - rows.first) * (cols.last - cols.first));
  }

  // Calls work(window's value, rows and columns of the image that it covers) for each window.
  template <typename Value, typename Work>
  void for_each_window(Value* value, const Work& work) const {
    for (std::int64_t r = 0; r < window_.output.height; ++r) {
      const std::int64_t top = r * window_.strides.height - window_.top;
      const Taps rows = covered(top, window_.size.height, window_.input.height);
      for (std::int64_t c = 0; c < window_.output.width; ++c, value += window_.channels) {
        const std::int64_t left = c * window_.strides.width - window_.left;
        work(value, rows, covered(left, window_.size.width, window_.input.width));
      }
    }
  }

  static Taps covered(std::int64_t start, std::int64_t size, std::int64_t extent) {
    const Taps taps = taps_inside(start, size, extent);
    return {.first = start + taps.first, .last = start + taps.last};
  }

  template <typename Work>
  void for_each_tap(const Taps& rows, const Taps& cols, const Work& work) const {
    const float share = share_of(rows, cols);
    for (std::int64_t y = rows.first; y < rows.last; ++y) {
      for (std::int64_t x = cols.first; x < cols.last; ++x) {
        work((y * window_.input.width + x) * window_.channels, share);
      }
    }
  }

  AveragePooling2D options_;
  Window window_;
};

}  // namespace

std::unique_ptr<Layer> AveragePooling2D::make() const {
  return std::make_unique<AveragePooling2DLayer>(*this);
}

}  // namespace systole::nn
