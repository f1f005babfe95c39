#include "host/compiler/pipeline.h"

#include <fmt/ranges.h>

#include <stdexcept>

#include "host/compiler/kernels/wide_kernels.h"
#include "host/compiler/rewrites/chosen_elements.h"
#include "host/compiler/rewrites/copied_rows.h"
#include "host/compiler/rewrites/cut_parts.h"
#include "host/compiler/rewrites/fold_rows.h"
#include "host/compiler/rewrites/plain_functions.h"
#include "host/compiler/rewrites/plain_layouts.h"
#include "host/compiler/rewrites/plain_shapes.h"
#include "host/compiler/rewrites/row_sums.h"
#include "host/compiler/rewrites/rows_by_products.h"
#include "host/compiler/rewrites/separate_outputs.h"
#include "host/compiler/rewrites/split_reductions.h"
#include "host/compiler/rewrites/split_windows.h"
#include "host/compiler/rewrites/wide_convolutions.h"
#include "host/graph/join_sums.h"
#include "host/graph/simplify.h"
#include "host/graph/text.h"

namespace systole::lowering {
namespace {

using graph::Graph;
using graph::GraphError;
using Rewritten = std::unique_ptr<Graph>;

/// A pass that looks at nothing but the graph.
template <Rewritten (*kRewrite)(const Graph&)>
Rewritten alone(const Graph& graph, const PassContext&) {
  return kRewrite(graph);
}

// The table of passes. Where the order matters, the line above a pass says why it is there.
constexpr Pass kPasses[] = {
    // Matches sums as gradients() writes them, which simplify() would merge.
    {"join_sums", "a weight that every step of an unrolled loop uses has one product as gradient",
     [](const Graph& graph, const PassContext&) -> Rewritten {
       return graph::join_sums(graph, graph::SumsJoined::kOfFactors);
     }},
    // All rewrites match simplified graphs, and simplify what they have changed.
    {"simplify", "no operation is there twice, unused, or known before the step",
     alone<graph::simplify>},
    {"plain_functions", "no function is there that follows from others", alone<plain_functions>},
    // The passes below match broadcasts of one row or one column.
    {"plain_shapes", "what only changes a shape is a reshape; no broadcast has dimensions of one",
     alone<plain_shapes>},
    // Before split_windows: a pooling's window decides where pixels lie.
    {"widen_convolutions", "convolutions of bf16 fill the array's rows and columns",
     [](const Graph& graph, const PassContext& context) -> Rewritten {
       return context.quantization ? nullptr : widen_convolutions(graph, context.sizes);
     }},
    {"chosen_elements", "no gather or scatter is of one element of each row",
     alone<chosen_elements>},
    {"rows_by_products", "no gather or scatter is of whole rows of a table",
     alone<rows_by_products>},
    // After the numbers of rows by which elements are chosen were found.
    {"plain_layouts",
     "products, sums, broadcasts and transposes have dimensions where the device has them",
     alone<plain_layouts>},
    {"split_windows", "windows that lie side by side are slices, maxima, sums and joined rows",
     alone<split_windows>},
    {"merge_row_sums", "a normalisation adds up the rows of a tensor in one pass over memory",
     alone<merge_row_sums>},
    // After split_windows, whose slices keep their rows; after merge_row_sums, whose sums fold,
    // too.
    {"fold_rows", "short rows that repeat a column of numbers, or are added up, fill words",
     [](const Graph& graph, const PassContext& context) -> Rewritten {
       return context.folds_rows ? fold_rows(graph, context.sizes.array_size) : nullptr;
     }},
    // After split_windows: a pooling's gradient is known by its joined rows and zeros.
    {"quantize_products", "with int8: products but those of choices have operands of i8",
     [](const Graph& graph, const PassContext& context) -> Rewritten {
       return context.quantization ? quantize_products(graph, *context.quantization) : nullptr;
     }},
    // After quantize_products, which reduces tensors to their largest magnitudes.
    {"split_reductions", "a row that is reduced fits into the slots of the vector engine",
     [](const Graph& graph, const PassContext& context) -> Rewritten {
       return split_reductions(graph, kSlots * context.sizes.array_size);
     }},
    // After split_reductions, whose slices are cut like others.
    {"cut_parts", "parts of tensors are computed where they are used", alone<cut_parts>},
    // These three last: simplify() would remove their copies.
    {"separate_parts", "each concatenated tensor has a place in one concatenation",
     alone<separate_parts>},
    {"separate_outputs", "each output is a tensor of its own, which a unit writes",
     alone<separate_outputs>},
    // Runs after separate_outputs, whose copies also read rows.
    {"copy_rows", "what is read where it lies, row by row, is read by its own rows",
     alone<copy_rows>},
};

/// Names, types and updates of a graph's inputs and outputs.
std::string signature(const Graph& graph) {
  std::string text;
  for (const graph::Input& input : graph.inputs()) {
    text += fmt::format("{}: {} -> {}\n", input.name, to_string(graph.type(input.value)),
                        input.updated_by);
  }
  for (const graph::Output& output : graph.outputs()) {
    text += fmt::format("{}: {}\n", output.name, to_string(graph.type(output.value)));
  }
  return text;
}

}  // namespace

std::span<const Pass> passes() { return kPasses; }

const Pass& find_pass(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Pass& pass : kPasses) {
    if (pass.name == name) return pass;
    names.push_back(pass.name);
  }
  throw std::invalid_argument(
      fmt::format("'{}' is not a pass: choose from {}", name, fmt::join(names, ", ")));
}

std::unique_ptr<Graph> run_passes(std::span<const Pass> passes, const Graph& graph,
                                  const PassContext& context, const AfterPass& after) {
  const std::string expected = signature(graph);
  std::unique_ptr<Graph> result;
  for (const Pass& pass : passes) {
    const Graph& before = result ? *result : graph;
    if (auto rewritten = pass.run(before, context)) result = std::move(rewritten);
    const Graph& now = result ? *result : graph;
    try {
      now.verify();
    } catch (const GraphError& error) {
      throw GraphError(fmt::format("after the pass {}: {}", pass.name, error.what()));
    }
    if (signature(now) != expected) {
      throw GraphError(
          fmt::format("after the pass {}: the graph has other inputs and outputs", pass.name));
    }
    if (after) after(pass, now);
  }
  return result;
}

std::unique_ptr<Graph> read_lowered(std::string_view text) {
  static const graph::OperationKind* const kOwn[] = {&wide_kernel_kind()};
  return graph::read(text, graph::Scopes::kAsWritten, graph::Products::kFp32, kOwn);
}

}  // namespace systole::lowering
