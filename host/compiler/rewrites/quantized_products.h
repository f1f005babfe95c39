#pragma once

#include <cstdint>
#include <memory>

#include "host/graph/graph.h"

namespace systole::lowering {

/// The deepest product of int8 whose sums fit into int32: elements lie in -128 .. 127, and at least
/// one of two that meet in -127 .. 127.
inline constexpr std::int64_t kMostQuantizedDepth = 132'104;

/// Products in int8, whose scales the vector engine finds.
struct Quantization {
  std::uint64_t seed = 1;  ///< of the random numbers that round gradients
  std::int64_t most_depth = kMostQuantizedDepth;
};

/// Writes each product of f32 as one of int8:
///
///     largest = max(abs(x))
///     scale   = largest / 127
///     inverse = largest < 2^-100 ? 0 : 127 / largest
///     q       = i8(floor(x * inverse + 1/2))        weights and activations
///     q       = i8(floor(x * inverse + 1/2 + r))    gradients; r in -1/2 .. 1/2
///     y       = f32(dot(q_a, q_b)) * (scale_a * scale_b)    from exact sums in int32
///     sum of d_y over rows = f32(sum of q) * scale          where the array has it beside dW
///
/// The gradient of a convolution's kernel adds up all pixels of a batch: where these are more than
/// `most_depth`, it is a sum in f32 of products of some images each, as equal in number as can be.
///
/// Each tensor has one scale and one int8 form, which all its products share. r is a hash of the
/// element's bits, the update's number and the seed: it depends on no order. Products with a matrix
/// of ones and zeros (an embedding) stay in bf16.
///
/// Limits   gradients need the f32 input `update`, the number of the step
/// Errors   GraphError with the layer for any other product deeper than `most_depth`
std::unique_ptr<graph::Graph> quantize_products(const graph::Graph& graph,
                                                const Quantization& quantization);

}  // namespace systole::lowering
