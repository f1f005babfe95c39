#pragma once

#include <span>
#include <vector>

#include "host/compiler/units/product_matches.h"

namespace systole::lowering {

/// By value: true if it may be rounded to bf16 when computed, because every reader is a product
/// (which rounds anyway), or because it is a predicate that only selects read.
///
/// Only slices, concatenations, maxima and selects lie between it and those products. They preserve
/// order, so rounding first changes no operand. Where two elements of a pooling become equal, the
/// first of them gets the gradient.
std::vector<bool> find_rounded(const graph::Graph& graph, std::span<const MatrixMatch> products);

/// The f32 results of products from which only the next state follows: gradients of weights. They
/// are rounded to bf16 when stored, as the gradient of a weight that is cast to bf16 before its
/// product is. Outputs stay as they are.
std::vector<int> find_gradients(const graph::Graph& graph, std::span<const MatrixMatch> products);

/// The results of convolutions and of images' gradients, and slices, maxima and selects of them.
/// They are rounded to bf16 when stored, since they are most of the traffic. Outputs stay as they
/// are.
std::vector<int> find_images(const graph::Graph& graph, std::span<const MatrixMatch> products);

}  // namespace systole::lowering
