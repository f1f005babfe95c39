#pragma once

#include <span>
#include <vector>

#include "host/graph/graph.h"
#include "host/lowering/kernel_code.h"

namespace systole::lowering {

/// Where kernels find a graph's values.
struct Surroundings {
  const graph::Graph& graph;
  int lanes = 16;               ///< of the vector engine; N
  std::vector<bool> in_memory;  ///< by value, before any reshape
  std::vector<bool> in_table;   ///< by value: scalars that the host fills in for each step
};

/// A value that a kernel writes, once in each format.
struct Root {
  int value = -1;
  std::vector<Format> formats;
  bool copies = false;  ///< the value is in memory and gets another format
};

/// Writes the operations from values in memory to `roots` as one kernel.
///
/// A sum and its product become one fused multiply-add where nothing else needs the product.
///
/// Numbers  docs/numerics.md section 8
/// Errors   graph::GraphError with layer, operation and types for what the vector engine cannot do;
///          std::length_error for more than 4 streams each way, 64 instructions or 32 constants in
///          a section, or 16 registers
KernelCode write_kernel(const Surroundings& around, std::span<const Root> roots);

/// Whether a reduction has one element for each of its results.
bool reduces_nothing(const graph::Graph& graph, const graph::Operation& operation);

/// Whether a value adds up rows: a reduction over all dimensions but the last, or over all.
bool adds_rows(const graph::Graph& graph, const graph::Operation& operation);

}  // namespace systole::lowering
