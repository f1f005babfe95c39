#pragma once

#include <span>
#include <vector>

#include "host/lowering/product_matches.h"

namespace systole::lowering {

/// By value: whether it may be rounded to bf16 where it is made, because products round it anyway,
/// or it is a predicate that selects alone read, which ask whether it is 0.
///
/// Everything between it and the products that read it keeps the order of numbers: slices, joins,
/// maxima, choices. Rounding first changes no operand then, but where two elements of a pooling
/// become equal, the first of them gets the gradient.
std::vector<bool> find_rounded(const graph::Graph& graph, std::span<const MatrixMatch> products);

/// The products' results of f32 from which nothing but the next state follows: gradients of
/// weights. They are rounded to bf16 where they are made, as the gradient of a weight that is cast
/// to bf16 before its product is. What is an output itself stays as it is.
std::vector<int> find_gradients(const graph::Graph& graph, std::span<const MatrixMatch> products);

/// The results of convolutions and of images' gradients, and what holds their elements alone:
/// slices, maxima, choices of them. They are rounded to bf16 where they are made: memory moves them
/// most. What is an output itself stays as it is.
std::vector<int> find_images(const graph::Graph& graph, std::span<const MatrixMatch> products);

}  // namespace systole::lowering
