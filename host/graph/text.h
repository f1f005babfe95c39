#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "host/graph/graph.h"

namespace systole::graph {

/// The graph as MLIR text: a function of StableHLO's operations in their generic form, which JAX
/// and stablehlo-opt read. Scopes are locations, names of outputs jax.result_info, updated inputs
/// tf.aliasing_output. The last line is a comment with a checksum.
///
///     %0 = "stablehlo.add"(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> loc("layer")
std::string print(const Graph& graph);

/// What print writes, and what others write in the same form: a missing checksum is not asked for.
///
/// Limits   one function; the operations of host/graph/operations; attributes that ask for what is
///          not known here are refused
/// Errors   GraphError, "line:column: what is wrong"
std::unique_ptr<Graph> read(std::string_view text);

}  // namespace systole::graph
