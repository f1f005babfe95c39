#pragma once

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "host/graph/graph.h"

namespace systole::graph {

/// Each value's elements by its id: dense, row-major, four bytes each.
using Pointers = std::span<void* const>;

/// A part of a graph that runs as a unit.
struct Kernel {
  std::vector<int> reads = {}, writes = {};
  /// (written, read): the written value may take the read value's memory if this is its last use.
  std::vector<std::pair<int, int>> in_place = {};
  std::function<void(Pointers pointers, int threads)> run = {};
  std::int64_t macs = 0;  ///< multiply-adds of a product
};

/// A dot_general as `batch` consecutive products of row-major matrices.
struct DotForm {
  std::int64_t batch = 1, rows = 0, depth = 0, cols = 0;
  bool transpose_a = false, transpose_b = false;
};

/// None if dimensions would have to be moved first.
std::optional<DotForm> dot_form(const Graph& graph, const Operation& operation);

/// An operation other than a loop over elements: a product, a window, a look-up. Without a fast
/// form here it runs like the oracle.
Kernel make_kernel(const Graph& graph, const Operation& operation);

// The fast forms; a kernel without `run` if the operation has none.
Kernel dot_kernel(const Graph& graph, const Operation& operation);
Kernel convolution_kernel(const Graph& graph, const Operation& operation);
Kernel window_kernel(const Graph& graph, const Operation& operation);
Kernel copy_kernel(const Graph& graph, const Operation& operation);
Kernel row_kernel(const Graph& graph, const Operation& operation);
Kernel random_kernel(const Graph& graph, const Operation& operation);

/// The memory of an operand or result.
template <typename T>
T* pointer(Pointers pointers, int value) {
  return static_cast<T*>(pointers[value]);
}

/// Between words of four bytes and the oracle's literals.
Literal to_literal(const Type& type, const void* words);
void from_literal(const Literal& literal, void* words);

}  // namespace systole::graph
