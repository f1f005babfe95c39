#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "host/graph/collectives.h"
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

/// How the device of a program multiplies, and so what a text may ask of products.
enum class Products : std::uint8_t {
  kFp32,       ///< all precisions are at least as asked
  kBf16,       ///< HIGH and HIGHEST become sums of products (asked_product.h)
  kBf16Alone,  ///< and HIGH and HIGHEST are refused
  kInt8,       ///< the same
};

/// The graph for any implementation of StableHLO, such as XLA on a GPU, so that it computes what
/// ours do: random words are written out as arithmetic, erf and its kin are chlo's, reductions
/// begin with what leaves their result as it is, and products say their precision. One difference
/// stays: a window of scatter that lies partly outside is left out whole by XLA.
///
/// Numbers  kFp32: products as exact as the device can, HIGHEST. kBf16: of fp32 operands rounded to
///          bf16, in fp32 sums; DEFAULT, which keeps such operands exactly on every device (TF32 on
///          an NVIDIA GPU, bf16 on a TPU)
/// Errors   GraphError for other products
std::string print_portable(const Graph& graph, Products products);

/// What a graph that is read may have, so that a small text cannot ask for more than a machine has:
/// operations, and turns of its counted loops.
inline constexpr std::size_t kMostOperations = 200'000, kMostIterations = 100'000;

/// Reads what print writes, and StableHLO as JAX prints it (`jax.jit(f).lower(...).as_text()`): the
/// generic and the pretty spelling, one function or a module. The checksum is optional. Calls are
/// inlined into the main function, loops that count to a constant are unrolled, and of choices all
/// branches are computed.
///
///     %0 = stablehlo.add %x, %y : tensor<2xf32>
///
/// others: kinds of other dialects that the text may have. place: the core that a portable artifact
/// is read for; a text's sums are those of all cores
///
/// Limits   the operations of host/graph/operations; kMostOperations of them; refuses attributes
/// with
///          unsupported values, and loops whose end depends on data
/// Errors   GraphError, "line:column: what is wrong"
std::unique_ptr<Graph> read(std::string_view text, Scopes scopes = Scopes::kAsWritten,
                            Products products = Products::kFp32,
                            std::span<const OperationKind* const> others = {},
                            CorePlace place = {});

}  // namespace systole::graph
