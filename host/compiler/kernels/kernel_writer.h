#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "host/compiler/kernels/kernel_code.h"
#include "host/compiler/refusal.h"
#include "host/graph/graph.h"

namespace systole::lowering {

/// A part of a value in memory, as rows of `cols` elements.
struct Slice {
  int value = -1;
  View view;
  std::int64_t cols = 0;

  /// Whether its elements lie one after the other.
  bool is_dense() const { return view.step == cols && view.group_rows == 0; }
};

/// The part of its operand that a slice is, the rows that a broadcast repeats, or rows in another
/// order: a transpose that leaves the last dimension. Nothing if the rows lie at more than three
/// distances.
std::optional<Slice> slice_of(const graph::Graph& graph, const graph::Operation& operation);

/// Where kernels find a graph's values.
struct Surroundings {
  const graph::Graph& graph;
  int lanes = 16;                    ///< of the vector engine; N
  std::vector<bool> in_memory;       ///< by value, before any reshape
  std::vector<bool> in_table;        ///< by value: scalars that the host fills in for each step
  std::vector<bool> narrow = {};     ///< by value: in memory as bf16 alone
  std::map<int, Slice> slices = {};  ///< by value: parts of values in memory
  std::map<int, std::int64_t> taps = {};  ///< of convolutions' kernels that are stored reversed
  std::map<int, int> wholes = {};         ///< by value: the value that it is a part of
};

/// A value that a kernel writes, once in each format.
struct Root {
  int value = -1;
  std::vector<Format> formats;
  bool copies = false;  ///< the value is in memory and gets another format
};

/// Values that are concatenated row by row; a kernel writes each as a stream of its own.
struct JoinedRows {
  struct Part {
    int value = -1;
    View view;
  };
  std::vector<Part> parts;  ///< alike
  bool is_padded = false;   ///< zeros follow groups of rows
};

/// Such a value, if the operation is one: operands of [rows, 1, cols] concatenated along the
/// dimension of one, a pad with zeros after each group of [groups, rows, cols], or these nested.
std::optional<JoinedRows> joined_rows(const graph::Graph& graph, const graph::Operation& operation);

/// Writes the operations from values in memory to `roots` as one kernel.
///
/// A sum and its product become one fused multiply-add where nothing else needs the product.
///
/// Limits   4 streams each way, 64 instructions and 32 constants in a section, 16 registers;
/// refuses
///          more, and what the vector engine cannot do
/// Numbers  docs/numerics.md section 8
OrRefusal<KernelCode> write_kernel(const Surroundings& around, std::span<const Root> roots);

/// Whether a reduction has one element for each of its results.
bool reduces_nothing(const graph::Graph& graph, const graph::Operation& operation);

/// Whether a value adds up rows: a reduction over all dimensions but the last, or over all.
bool adds_rows(const graph::Graph& graph, const graph::Operation& operation);

}  // namespace systole::lowering
