#pragma once

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "host/graph/graph.h"

namespace systole::graph {

/// Where each value's elements lie, by the value's number: dense, row-major, four bytes each.
using Pointers = std::span<void* const>;

/// A part of a graph that runs at once.
struct Kernel {
  std::vector<int> reads = {}, writes = {};
  /// (written, read): the written value may take the read one's memory, if nobody reads it after.
  std::vector<std::pair<int, int>> in_place = {};
  std::function<void(Pointers pointers, int threads)> run = {};
  std::int64_t macs = 0;  ///< multiply-adds of a product
};

/// A dot_general as products of row-major matrices, `batch` of them one after the other.
struct DotForm {
  std::int64_t batch = 1, rows = 0, depth = 0, cols = 0;
  bool transpose_a = false, transpose_b = false;
};

/// None where dimensions would have to be moved first, and for elements other than f32.
std::optional<DotForm> dot_form(const Graph& graph, const Operation& operation);

/// An operation that is no loop over elements: a product, a window, a look-up. Those without a fast
/// form here run as the oracle does.
Kernel make_kernel(const Graph& graph, const Operation& operation);

// The fast forms; a kernel without `run` where an operation has another form.
Kernel dot_kernel(const Graph& graph, const Operation& operation);
Kernel convolution_kernel(const Graph& graph, const Operation& operation);
Kernel window_kernel(const Graph& graph, const Operation& operation);
Kernel copy_kernel(const Graph& graph, const Operation& operation);
Kernel row_kernel(const Graph& graph, const Operation& operation);
Kernel random_kernel(const Graph& graph, const Operation& operation);

/// As one of the operands, or the result.
template <typename T>
T* pointer(Pointers pointers, int value) {
  return static_cast<T*>(pointers[static_cast<std::size_t>(value)]);
}

/// Between words of four bytes and the oracle's literals.
Literal to_literal(const Type& type, const void* words);
void from_literal(const Literal& literal, void* words);

}  // namespace systole::graph
