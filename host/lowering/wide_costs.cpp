#include "host/lowering/wide_costs.h"

#include <algorithm>

#include "systole/support/ceil_div.h"

namespace systole::lowering {
namespace {

class Costs {
 public:
  Costs(const ConvolutionWork& work, const WidePixels& wide, const graph::WindowDimension& x,
        const DeviceSizes& sizes)
      : work_(work),
        wide_(wide),
        x_(x),
        sizes_(sizes),
        channels_(wide.pixels * work.images.channels),
        filters_(wide.pixels * work.filters) {}

  std::optional<std::int64_t> all() const {
    if (!fits()) return {};
    std::int64_t clocks = forward() + poolings();
    if (work_.has_kernel_gradient) clocks += kernel_gradient();
    if (work_.has_input_gradient) clocks += input_gradient();
    return clocks;
  }

 private:
  static constexpr std::int64_t kBytes = 2;  ///< of bf16

  std::int64_t words(std::int64_t elements) const {
    return ceil_div(elements, std::int64_t{sizes_.array_size});
  }
  std::int64_t kernel_height() const { return work_.images.y.size; }

  // A patch's limits in commands, and blocks that are a part of the buffers.
  bool fits() const {
    constexpr std::int64_t kMostPixels = 15, kMostTiles = 64;
    const std::int64_t line = x_.size * std::max(channels_, filters_);
    return x_.size <= kMostPixels && x_.high >= 0 && line * kBytes < (1 << 16) &&
           words(line * kernel_height()) <= kMostTiles && x_.size * channels_ < sizes_.bank_rows;
  }

  /// Of one row of patches of lines with so many elements, at distances of `step` elements.
  std::int64_t patch(std::int64_t line, std::int64_t step) const {
    const std::int64_t beat = sizes_.beat_bytes();
    const std::int64_t offset = step * kBytes % beat == 0 ? 0 : beat / 2;
    return std::max({kernel_height() * ceil_div(line * kBytes + offset, beat), kernel_height() + 2,
                     words(line * kernel_height())});
  }
  std::int64_t row(std::int64_t elements) const {
    return ceil_div(elements * kBytes, sizes_.beat_bytes());
  }

  std::int64_t results() const {  // wide pixels
    return work_.images.batch * work_.images.y.output * x_.output;
  }

  std::int64_t forward() const {
    const std::int64_t depth = kernel_height() * x_.size * channels_;
    const std::int64_t bias = 1;  // a tile of depth, as it is often added by the array
    return results() *
           std::max((words(depth) + bias) * words(filters_), patch(x_.size * channels_, channels_));
  }

  std::int64_t input_gradient() const {
    const std::int64_t pixels = work_.images.batch * work_.images.y.input * x_.input;
    return pixels * std::max(words(kernel_height() * x_.size * filters_) * words(channels_),
                             patch(x_.size * filters_, filters_));
  }

  std::int64_t kernel_gradient() const {
    const std::int64_t rows =
        std::max<std::int64_t>(kernel_height() * x_.size * channels_, sizes_.array_size);
    return std::max(rows * words(results()) * words(filters_),
                    results() * (patch(x_.size * channels_, channels_) + row(filters_)));
  }

  /// Forward and backward, each some instructions for each word of the pooled image.
  std::int64_t poolings() const {
    if (work_.window == 1) return 0;
    constexpr std::int64_t kInstructions = 18;
    const std::int64_t together = wide_.apart == 1 ? 1 : wide_.pixels / wide_.apart;
    const std::int64_t rows = work_.images.batch * (work_.images.y.output / work_.window_height) *
                              (work_.images.x.output / work_.window / together);
    return rows * words(together * work_.filters) * kInstructions;
  }

  const ConvolutionWork& work_;
  const WidePixels& wide_;
  const graph::WindowDimension& x_;
  const DeviceSizes& sizes_;
  std::int64_t channels_, filters_;  ///< of a wide pixel
};

}  // namespace

std::optional<std::int64_t> estimated_clocks(const ConvolutionWork& work, const WidePixels& wide,
                                             const graph::WindowDimension& x,
                                             const DeviceSizes& sizes) {
  return Costs(work, wide, x, sizes).all();
}

}  // namespace systole::lowering
