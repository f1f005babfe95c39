#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "host/graph/graph.h"

namespace systole::lowering {

/// The height and width of windows that lie side by side.
struct Window {
  std::int64_t y = 1, x = 1;
};

/// The windows of a pooling of images; nothing where they overlap, leave gaps or span images or
/// channels.
std::optional<Window> window_of(const graph::Call& call);

/// Writes poolings by maximum and average, and their gradients, as slices, maxima, sums and
/// concatenated rows, and the holes in the gradient of a strided convolution's images as zeros
/// between its pixels. Windows of more than four pixels go first along the image's rows, then along
/// its columns.
///
/// Limits   images [batch, height, width, channels]; windows that lie side by side; other
///          windows stay
/// Numbers  as reduce_window and select_and_scatter: the first largest element gets the gradient;
///          a window's sum adds its rows' sums
std::unique_ptr<graph::Graph> split_windows(const graph::Graph& graph);

}  // namespace systole::lowering
