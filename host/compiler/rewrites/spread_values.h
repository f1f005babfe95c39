#pragma once

#include <span>
#include <vector>

#include "host/graph/graph.h"

namespace systole::lowering {

/// Values that hold all elements of another one and zeros, as a pooling's gradient holds that of
/// its result: concatenations and zeros around
///
///     a    or    select(p, a, 0) and select(p, 0, a)
class SpreadValues {
 public:
  explicit SpreadValues(const graph::Graph& graph) : graph_(graph) {}

  /// The value that `value` holds so; itself if it is no concatenation, or one of several values.
  int of(int value) const;

  /// `value` with `elements`, whole numbers in i32, in place of those of `spread`, as i8 written
  /// part by part; `values` are the graph's in the graph of `elements`.
  graph::Value rewritten(int value, int spread, graph::Value elements,
                         std::span<const graph::Value> values) const;

 private:
  void find_parts(int value, std::vector<int>& parts) const;
  bool merge_two(std::vector<int>& parts) const;
  bool is_zero(int value) const;
  int chosen_of(int a, int b) const;
  graph::Value part(int value, int spread, graph::Value elements,
                    std::span<const graph::Value> values) const;

  const graph::Graph& graph_;
};

}  // namespace systole::lowering
