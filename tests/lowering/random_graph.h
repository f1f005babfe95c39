#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/graph/ops.h"
#include "tests/support/random.h"

namespace systole::tests {

/// A tensor's elements in 4-byte words, and a graph's inputs or outputs by name.
using Words = std::vector<std::uint32_t>;
using Tensors = std::map<std::string, Words>;

std::size_t count_of(const graph::Type& type);

/// Small whole numbers, of which all sums and products of a RandomGraph are exact.
Words draw_words(Random& random, const graph::Type& type);

/// The outputs that `cpu` computes.
Tensors on_processor(const graph::Graph& graph, const Tensors& inputs);

/// Draws graphs of matrices [rows, cols], rows, columns and scalars, and of what transposes,
/// broadcasts, masks and batches of products make of them, of floats, integers and predicates.
class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed);

  graph::Graph graph;
  std::set<std::string> resident;
  /// Then a zero's sign is open: the array's sums begin with +0, the processor's with a product.
  bool has_products = false;

 private:
  std::size_t below(std::size_t count);
  // A constant whose elements differ.
  graph::Value table(graph::Element element);
  graph::Value any();
  graph::Value any(const graph::Type& type);
  static graph::Value small(graph::Value x);
  graph::Value product(graph::Value a, graph::Value b, const graph::DotDimensions& dimensions);
  graph::Value make();
  graph::Value combined(graph::Value a, graph::Value b);
  graph::Value reduced(graph::Value a);
  graph::Value moved(graph::Value a);
  graph::Value repeated(graph::Value a);
  graph::Value batches(graph::Value a, graph::Value b);
  graph::Value centred(graph::Value a);
  graph::Value masked(graph::Value a);
  void draw_outputs();

  Random random_;
  std::int64_t rows_ = 1, cols_ = 1;
  std::vector<graph::Value> inputs_, values_;
  graph::Value weights_;
};

}  // namespace systole::tests
