#pragma once

#include <vector>

#include "host/compiler/units/product_matches.h"
#include "host/device/device_map.h"

namespace systole::lowering {

/// Whether a load_patches command can name a convolution's windows and images.
bool can_load_patches(const graph::Images& images);

/// The products of a convolution: forward, of the patches of its images; dW, of the transposed
/// patches; dX, of the patches of dY and the reversed kernel.
///
/// Errors   graph::GraphError for patches that the device cannot load
std::vector<MatrixMatch> image_products(const graph::Graph& graph, const ImageMatch& match);

/// The images of dY whose patches lie over each pixel of X.
///
/// Limits   strides of 1
graph::Images turned(graph::Images images, std::int64_t filters);

/// The command that loads their patches, in elements of `bytes` bytes.
device::CommandWord patches_of(const graph::Images& images, std::int64_t bytes);

}  // namespace systole::lowering
