#pragma once

#include <cstdint>
#include <vector>

#include "host/compiler/kernels/kernel_writer.h"

namespace systole::lowering {

/// How a convolution's pixels along a line are packed: `pixels` of them are one wide pixel, both of
/// the images' channels and of the result's filters.
///
/// The pixels of a wide pixel of X lie in their order. Those of the result are the ones at a place
/// of each window of `apart` pixels one after the other: 0, apart, 2 apart, ..., 1, apart + 1, ...
struct WidePixels {
  std::int64_t pixels = 1, apart = 1;
  std::int64_t width = 1;  ///< of the wide kernel, in wide pixels
  std::int64_t first = 0;  ///< the column of the wide kernel's pixels where the kernel begins

  /// Where a result's pixel is in its wide one.
  std::int64_t place(std::int64_t pixel) const {
    return pixel % apart * (pixels / apart) + pixel / apart;
  }
  friend bool operator==(const WidePixels&, const WidePixels&) = default;
};

/// A kernel [height, width, channels, filters] as one over wide pixels, [height, wide.width, pixels
/// x channels, pixels x filters]: each pixel of the result has its own filters, the kernel moved to
/// its place, with zeros elsewhere. An operation of this compiler, not of StableHLO.
graph::Value wide_kernel(graph::Value kernel, const WidePixels& wide);

/// systole.wide_kernel in a text.
const graph::OperationKind& wide_kernel_kind();

bool is_wide_kernel(const graph::Operation& operation);

/// Columns of pixels of a wide kernel, and those of the kernel in it.
struct KernelColumns {
  std::int64_t all = 1, kernel = 1;
};
KernelColumns columns_of(const graph::Graph& graph, const graph::Operation& wide_kernel);

/// Kernels of the vector engine that write a wide kernel, in order; the first one also writes the
/// zeros.
///
/// Limits   `value` is made by wide_kernel of a value in memory; `formats`: kBf16, kTurned or both
std::vector<KernelCode> write_wide_kernel(const Surroundings& around, int value,
                                          const std::vector<Format>& formats);

}  // namespace systole::lowering
