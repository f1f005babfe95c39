#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "host/compiler/rewrites/quantized_products.h"
#include "host/device/device_sizes.h"
#include "host/graph/graph.h"

namespace systole::lowering {

/// What passes know besides the graph.
struct PassContext {
  DeviceSizes sizes = {};
  std::optional<Quantization> quantization = {};  ///< products in int8; none: in bf16
  bool folds_rows = true;
};

/// A rewrite of a step's graph on its way to a program.
struct Pass {
  std::string_view name;   ///< of its function
  std::string_view holds;  ///< what is true of the graph afterwards
  /// Null where the pass does not apply.
  std::unique_ptr<graph::Graph> (*run)(const graph::Graph& graph, const PassContext& context);
};

/// All passes, in their order.
std::span<const Pass> passes();

/// Errors   std::invalid_argument for an unknown name; lists the names
const Pass& find_pass(std::string_view name);

using AfterPass = std::function<void(const Pass& pass, const graph::Graph& graph)>;

/// Rewrites a graph by one pass after the other. After each, the graph is verified, and its inputs
/// and outputs are those of `graph`: names, order, types and updates.
///
/// after: sees the graph after each pass, also where the pass does not apply
///
/// Errors   graph::GraphError for what a pass refuses, and, with the pass's name, for a graph that
///          is not valid after it
std::unique_ptr<graph::Graph> run_passes(std::span<const Pass> passes, const graph::Graph& graph,
                                         const PassContext& context, const AfterPass& after = {});

/// Reads a graph that was printed between passes: graph::read, and this compiler's own operations.
std::unique_ptr<graph::Graph> read_lowered(std::string_view text);

}  // namespace systole::lowering
