#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/compiler/units/lowered_graph.h"

namespace systole::lowering {

/// Which values of a graph a device stores, in which formats, and who writes them.
struct KeptValues {
  KeptValues(const graph::Graph& graph, int lanes, int core);

  Surroundings around;
  LoweredGraph lowered;                      ///< all but its units
  std::vector<MatrixMatch> products;         ///< of the array
  std::vector<int> product_of;               ///< by value: the product that makes it; -1 for none
  std::vector<bool> on_host;                 ///< by an operation's first result: no unit's work
  std::map<int, std::vector<int>> parts_of;  ///< by the value that has them
  std::map<int, Root> roots;                 ///< what kernels write
  std::map<int, int> replaces;               ///< an input, by its next value
  int core = 0;                              ///< of several, whose sums this one takes part in

  int base(int value) const { return around.graph.before_reshapes(value); }
  /// A value's format, unless a product asks for another.
  Format memory_format(int value) const;
  void need_format(int value, Format format);
  void need_memory(int value);
};

/// Inputs, products, what these read, outputs, and what kernels cannot go past (kernel_borders.h).
///
/// Errors   graph::GraphError for inputs and outputs that a device does not take or give
KeptValues find_kept(const graph::Graph& graph, int lanes, const std::set<std::string>& resident,
                     int core);

}  // namespace systole::lowering
