#pragma once

#include <vector>

#include "host/lowering/product_matches.h"

namespace systole::lowering {

/// The products of a convolution: forward, of the patches of its images; dW, of the transposed
/// patches; dX, of the patches of dY and the kernel turned round.
///
/// Errors   graph::GraphError for patches that the device cannot load
std::vector<MatrixMatch> image_products(const graph::Graph& graph, const ImageMatch& match);

}  // namespace systole::lowering
