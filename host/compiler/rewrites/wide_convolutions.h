#pragma once

#include <memory>

#include "host/device/device_sizes.h"
#include "host/graph/graph.h"

namespace systole::lowering {

/// Packs pixels of a convolution's images where that fills the array's rows and columns better: p
/// pixels along a line become one of p times the channels and filters, and the kernel one that has
/// each filter p times, moved by a pixel each (wide_kernels.h). The result is the same in memory.
///
///     x [b, h, w, c]  as [b, h, w / p, p c]       y [b, h, w, f]  as [b, h, w / p, p f]
///
/// The gradient of the kernel is a sum of p parts of the wide one's. Where a pooling reads a
/// convolution's result, the pixels at one place of its windows lie side by side there, so that the
/// vector engine's words are full as well. p has the fewest estimated clocks of array, loads and
/// poolings; 1 means no packing.
///
/// Limits   convolutions of f32, strides of 1 without holes; widths that p divides
std::unique_ptr<graph::Graph> widen_convolutions(const graph::Graph& graph,
                                                 const DeviceSizes& sizes);

}  // namespace systole::lowering
