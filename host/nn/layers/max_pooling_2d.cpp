#include "host/nn/layers/max_pooling_2d.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "host/nn/layers/im2col.h"
#include "host/nn/numbers/parallel.h"

namespace systole::nn {
namespace {

constexpr std::int64_t kMostTaps = 256;  // a place in a window is remembered in a byte

// best = max(best, x), and which tap it came from.
void take_larger(const float* x, std::int64_t channels, std::uint8_t tap, float* best,
                 std::uint8_t* winner) {
  for (std::int64_t k = 0; k < channels; ++k) {
    const bool larger = !(x[k] <= best[k]) && best[k] == best[k];
    best[k] = larger ? x[k] : best[k];
    winner[k] = larger ? tap : winner[k];
  }
}

class MaxPooling2DLayer : public Layer {
 public:
  explicit MaxPooling2DLayer(const MaxPooling2D& options) : options_(options) {}

  std::string kind() const override { return "MaxPooling2D"; }

  Shape build(const Shape& input, Generator&) override {
    window_ = make_window(kind(), input, options_.pool, options_.strides.value_or(options_.pool),
                          options_.padding);
    if (window_.size.height * window_.size.width > kMostTaps) {
      throw std::invalid_argument(
          fmt::format("MaxPooling2D: a window of {} x {} has more than {} "
                      "values",
                      window_.size.height, window_.size.width, kMostTaps));
    }
    return {window_.output.height, window_.output.width, window_.channels};
  }

  void forward(const Pass& pass, const Tensor& input, Tensor& output) override {
    output.resize(input.rows, window_.output_positions() * window_.channels);
    winners_.resize(output.values.size());
    parallel_for(pass.threads(), input.rows, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        pool(input.row(i).data(), output.row(i).data(), winners_.data() + i * output.row_size);
      }
    });
  }

  void backward(const Pass& pass, const Tensor& input, const Tensor&, const Tensor& d_output,
                Tensor* d_input) override {
    if (d_input == nullptr) return;
    d_input->resize(input.rows, window_.input_size());
    parallel_for(pass.threads(), input.rows, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        spread(d_output.row(i).data(), winners_.data() + i * d_output.row_size,
               d_input->row(i).data());
      }
    });
  }

 private:
  // Calls work(offset of the tap's first channel in the image, tap) for each tap of window (r, c)
  // that lies in the image.
  template <typename Work>
  void for_each_tap(std::int64_t r, std::int64_t c, const Work& work) const {
    const std::int64_t top = r * window_.strides.height - window_.top;
    const std::int64_t left = c * window_.strides.width - window_.left;
    const Taps rows = taps_inside(top, window_.size.height, window_.input.height);
    const Taps cols = taps_inside(left, window_.size.width, window_.input.width);
    for (std::int64_t y = rows.first; y < rows.last; ++y) {
      for (std::int64_t x = cols.first; x < cols.last; ++x) {
        work(((top + y) * window_.input.width + left + x) * window_.channels,
             static_cast<std::uint8_t>(y * window_.size.width + x));
      }
    }
  }

  void pool(const float* image, float* output, std::uint8_t* winner) const {
    const std::int64_t channels = window_.channels;
    for (std::int64_t r = 0; r < window_.output.height; ++r) {
      for (std::int64_t c = 0; c < window_.output.width; ++c) {
        bool first = true;
        for_each_tap(r, c, [&](std::int64_t offset, std::uint8_t tap) {
          if (first) {
            std::copy_n(image + offset, channels, output);
            std::fill_n(winner, channels, tap);
            first = false;
          } else {
            take_larger(image + offset, channels, tap, output, winner);
          }
        });
        output += channels;
        winner += channels;
      }
    }
  }

  // Where windows overlap, gradients meet and are added; where they do not, each is written once.
  void spread(const float* d_output, const std::uint8_t* winner, float* d_image) const {
    const bool overlap =
        window_.strides.height < window_.size.height || window_.strides.width < window_.size.width;
    if (overlap || !covers_image()) std::fill_n(d_image, window_.input_size(), 0.0f);
    const std::int64_t channels = window_.channels;
    for (std::int64_t r = 0; r < window_.output.height; ++r) {
      for (std::int64_t c = 0; c < window_.output.width; ++c) {
        for_each_tap(r, c, [&](std::int64_t offset, std::uint8_t tap) {
          float* to = d_image + offset;
          if (overlap) {
            for (std::int64_t k = 0; k < channels; ++k) to[k] += winner[k] == tap ? d_output[k] : 0;
          } else {
            for (std::int64_t k = 0; k < channels; ++k) to[k] = winner[k] == tap ? d_output[k] : 0;
          }
        });
        d_output += channels;
        winner += channels;
      }
    }
  }

  // Whether every value of the image is in a window that does not overlap another.
  bool covers_image() const {
    const auto covers = [](std::int64_t stride, std::int64_t size, std::int64_t output,
                           std::int64_t before, std::int64_t input) {
      return stride == size && output * stride - before >= input;
    };
    return covers(window_.strides.height, window_.size.height, window_.output.height, window_.top,
                  window_.input.height) &&
           covers(window_.strides.width, window_.size.width, window_.output.width, window_.left,
                  window_.input.width);
  }

  MaxPooling2D options_;
  Window window_;
  std::vector<std::uint8_t> winners_;  // of each output, which tap it came from
};

}  // namespace

std::unique_ptr<Layer> MaxPooling2D::make() const {
  return std::make_unique<MaxPooling2DLayer>(*this);
}

}  // namespace systole::nn
