#pragma once

#include "host/cpu/grouping.h"

namespace systole::graph {

/// Places the values that kernels write in one block of memory. A value holds its place from its
/// writing to its last use.
struct MemoryPlan {
  std::vector<std::int64_t> offsets;  ///< by value, in elements; -1: not in the block
  std::int64_t elements = 0;          ///< of the block
};

/// elsewhere: values with memory of their own.
MemoryPlan plan_memory(const Graph& graph, const Kernels& kernels,
                       const std::vector<bool>& elsewhere);

}  // namespace systole::graph
