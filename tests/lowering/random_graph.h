#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/graph/graph.h"
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

/// Draws graphs of matrices [rows, cols], rows, columns and scalars, of floats, integers and
/// predicates.
class RandomGraph {
 public:
  explicit RandomGraph(std::uint64_t seed);

  graph::Graph graph;
  std::set<std::string> resident;

 private:
  std::size_t below(std::size_t count);
  // A constant whose elements differ.
  graph::Value table(graph::Element element);
  graph::Value any();
  graph::Value any(const graph::Type& type);
  static graph::Value small(graph::Value x);
  graph::Value make();
  graph::Value combined(graph::Value a, graph::Value b);
  graph::Value reduced(graph::Value a);
  void draw_outputs();

  Random random_;
  std::int64_t rows_ = 1, cols_ = 1;
  std::vector<graph::Value> inputs_, values_;
  graph::Value weights_;
};

}  // namespace systole::tests
