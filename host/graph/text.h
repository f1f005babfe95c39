#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "host/graph/graph.h"

namespace systole::graph {

/// The graph as MLIR text: a function of StableHLO operations in generic form, which JAX and
/// stablehlo-opt read. Scopes become locations, output names jax.result_info, updated inputs
/// tf.aliasing_output. The last line is a comment with a checksum.
///
///     %0 = "stablehlo.add"(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> loc("layer")
std::string print(const Graph& graph);

enum class Scopes : std::uint8_t {
  kAsWritten,  ///< the text's locations
  kPlaces,     ///< "line:column" where the text has none
};

/// Reads what print writes, and StableHLO as JAX prints it (`jax.jit(f).lower(...).as_text()`): the
/// generic and the pretty spelling, one function or a module. The checksum is optional. Calls are
/// inlined into the main function, and loops that count to a constant are unrolled.
///
///     %0 = stablehlo.add %x, %y : tensor<2xf32>
///
/// Limits   the operations of host/graph/operations; 200,000 of them; refuses attributes with
///          unsupported values, and loops whose end depends on data
/// Errors   GraphError, "line:column: what is wrong"
std::unique_ptr<Graph> read(std::string_view text, Scopes scopes = Scopes::kAsWritten);

}  // namespace systole::graph
