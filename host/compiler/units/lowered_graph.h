#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "host/compiler/kernels/kernel_writer.h"
#include "host/compiler/pipeline.h"
#include "host/compiler/refusal.h"
#include "host/compiler/units/product_matches.h"
#include "host/compiler/units/shared_columns.h"
#include "host/device/device_sizes.h"

namespace systole::lowering {

/// Some columns of a kernel's elements; all if `count` is 0.
struct Columns {
  std::int64_t first = 0, count = 0;
  bool operator==(const Columns&) const = default;
};

/// A part of a step that one engine does: a product of the array, or a kernel of the vector engine.
struct Unit {
  std::variant<MatrixMatch, KernelCode> work;
  std::string name;                ///< the layers it comes from
  std::vector<int> reads, writes;  ///< values in memory
  std::vector<int> replaces;       ///< inputs whose memory its results take
  int level = 0;                   ///< more than that of the units whose results it reads
  Columns columns = {};            ///< of an update that cores share: those of this unit
  /// Of a kernel that meets neighbours: the sum over cores that brings it about, and its place
  /// among all that this sum brings about on any core.
  int sum = -1, turn = 0;

  const MatrixMatch* product() const { return std::get_if<MatrixMatch>(&work); }
  const KernelCode* kernel() const { return std::get_if<KernelCode>(&work); }
};

/// The formats in which a device stores a graph's value.
class Stored {
 public:
  bool has(Format format) const { return has_[static_cast<std::size_t>(format)]; }
  void add(Format format) { has_[static_cast<std::size_t>(format)] = true; }

 private:
  std::array<bool, kAllFormats.size()> has_{};
};

/// The format that keeps every bit of a value.
inline Format word_format(const graph::Type& type) {
  return type.element == graph::Element::kS8 ? Format::kInt8 : Format::kWord;
}
/// The formats of a product's operands.
inline Format format_of_a(const MatrixMatch& match) {
  return match.type == DataType::kInt8 ? Format::kInt8 : Format::kBf16;
}
inline Format format_of_b(const MatrixMatch& match) {
  if (!match.turned) return format_of_a(match);
  return match.type == DataType::kInt8 ? Format::kInt8Turned : Format::kTurned;
}

/// A graph of a step as units, in an order that they can run in.
///
/// Inputs that the graph updates, and those named `resident`, are the step's state, which stays on
/// the device. The host fills in the other scalars for each step, and all that follows from them
/// alone: the table, and tensors of random numbers or constants. The rest is the batch.
struct LoweredGraph {
  std::unique_ptr<graph::Graph> graph;  ///< simplified; values are its
  std::vector<Unit> units;
  std::vector<Stored> stored;        ///< by value
  std::map<int, std::int64_t> taps;  ///< of values stored reversed
  /// Values that lie in another's memory, in all of its formats, by value.
  struct Part {
    int whole = -1;
    std::int64_t first = 0;  ///< element
  };
  std::map<int, Part> parts;
  std::vector<int> state, batch;  ///< inputs, by value
  std::vector<int> drawn;         ///< random tensors, which the host fills in for each step
  std::vector<int> constants;     ///< tensors of unequal numbers, which are written once
  std::vector<int> table;         ///< scalars that kernels use
  std::vector<std::pair<std::string, int>> results;  ///< outputs that are no updates, by name
  std::map<int, SharedColumns> shared;               ///< states that cores share, by input
  std::set<std::string> shared_updates;              ///< inputs whose updates cores share

  /// The input that a value replaces at the end of the step; -1 for none.
  int replaced_by(int value) const;
  /// Whether the host writes the value: it is drawn or a constant.
  bool is_written_by_host(int value) const;
};

/// Runs the passes (pipeline.h), then cuts the graph into units. Elementwise operations, broadcasts
/// and reductions become as few kernels as fit; products take biases, ReLUs, masks and column sums
/// along.
///
/// after: sees the graph after each pass; where folded rows do not fit into kernels, all passes run
/// again without fold_rows
/// core: the number of the core that runs it, where cores add their values
/// slots: states that an update alone reads, as an optimizer's memory; where there are any, cores
/// share updates (shared_updates.h)
/// among: cores share updates of these inputs alone; null: of all that can be
///
/// Limits   `quantization`: products are in int8 then (quantized_products.h), else in bf16
/// Errors   Unsupported with layer, operation and types for what the device cannot do
LoweredGraph lower_graph(const graph::Graph& graph, const DeviceSizes& sizes,
                         const std::set<std::string>& resident = {},
                         const std::optional<Quantization>& quantization = {},
                         const AfterPass& after = {}, int core = 0,
                         const std::set<std::string>& slots = {},
                         const std::set<std::string>* among = nullptr);

}  // namespace systole::lowering
