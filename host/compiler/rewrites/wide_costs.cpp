#include "host/compiler/rewrites/wide_costs.h"

#include <algorithm>

#include "host/compiler/schedule/patches.h"
#include "host/compiler/units/image_products.h"
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

  graph::Images wide_images() const {
    graph::Images images = work_.images;
    images.x = x_;
    images.channels = channels_;
    return images;
  }

  std::int64_t product(const graph::Images& images, Product product) const {
    product.patches = patches_of(images, kBytes);
    (product.transpose_a ? product.depth : product.rows) = images.batch * images.positions();
    return Patches(product, sizes_).clocks();
  }

  // Its bias is often added by the array.
  std::int64_t forward() const { return product(wide_images(), {.ones = 1, .cols = filters_}); }

  std::int64_t input_gradient() const {
    return product(turned(wide_images(), filters_), {.cols = channels_});
  }

  std::int64_t kernel_gradient() const {
    return product(wide_images(), {.cols = filters_, .transpose_a = true});
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
