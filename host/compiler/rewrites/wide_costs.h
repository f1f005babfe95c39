#pragma once

#include <cstdint>
#include <optional>

#include "host/compiler/kernels/wide_kernels.h"
#include "host/cpu/images.h"
#include "host/device/device_sizes.h"

namespace systole::lowering {

/// What a convolution, its gradients and the poolings of its result do.
struct ConvolutionWork {
  graph::Images images;  ///< pixel by pixel
  std::int64_t filters = 0;
  bool has_kernel_gradient = false, has_input_gradient = false;
  std::int64_t window = 1, window_height = 1;  ///< of the pooling; 1: none
};

/// About how many clocks that takes with `wide` pixels: for each product those of the array or of
/// its loads, whichever are more, and those of the vector engine for poolings. `x` is the window
/// along wide pixels. Nothing where the buffers are too small for such patches.
std::optional<std::int64_t> estimated_clocks(const ConvolutionWork& work, const WidePixels& wide,
                                             const graph::WindowDimension& x,
                                             const DeviceSizes& sizes);

}  // namespace systole::lowering
