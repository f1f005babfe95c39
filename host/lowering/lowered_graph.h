#pragma once

#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "host/lowering/kernel_writer.h"
#include "host/lowering/product_matches.h"

namespace systole::lowering {

/// A part of a step that one engine does: a product of the array, or a kernel of the vector engine.
struct Unit {
  std::variant<MatrixMatch, KernelCode> work;
  std::string name;                ///< the layers it comes from
  std::vector<int> reads, writes;  ///< values in memory
  std::vector<int> replaces;       ///< inputs whose memory its results take
  int level = 0;                   ///< more than that of the units whose results it reads

  const MatrixMatch* product() const { return std::get_if<MatrixMatch>(&work); }
  const KernelCode* kernel() const { return std::get_if<KernelCode>(&work); }
};

/// What a device keeps of a graph's value.
struct Stored {
  bool word = false;  ///< fp32 or int32
  bool bf16 = false;  ///< rounded to nearest even, for products

  bool any() const { return word || bf16; }
};

/// A graph of a step cut into units, in an order that they can run in.
///
/// Inputs that the graph updates, and those named `resident`, are the step's state, which stays on
/// the device. Other scalars are filled in by the host for each step, and so is all that follows
/// from them alone: the table, and tensors of random numbers. The rest is the batch.
struct LoweredGraph {
  std::unique_ptr<graph::Graph> graph;  ///< simplified; values are its
  std::vector<Unit> units;
  std::vector<Stored> stored;                        ///< by value
  std::vector<int> state, batch;                     ///< inputs, by value
  std::vector<int> drawn;                            ///< random tensors, which the host draws ahead
  std::vector<int> table;                            ///< scalars that kernels use
  std::vector<std::pair<std::string, int>> results;  ///< scalar outputs, by name

  /// The input that a value replaces at the end of the step; -1 for none.
  int replaced_by(int value) const;
};

/// Cuts a graph for a device of `lanes` lanes. Elementwise operations, broadcasts and reductions
/// become as few kernels as fit; products take biases, ReLUs, masks and column sums along.
///
/// Errors   graph::GraphError with layer, operation and types for what the device cannot do
LoweredGraph lower_graph(const graph::Graph& graph, int lanes,
                         const std::set<std::string>& resident = {});

}  // namespace systole::lowering
