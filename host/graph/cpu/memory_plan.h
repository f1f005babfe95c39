#pragma once

#include "host/graph/cpu/grouping.h"

namespace systole::graph {

/// Where in one block of memory each value that kernels write lies, from its writing to its last
/// use; others take the place after.
struct MemoryPlan {
  std::vector<std::int64_t> offsets;  ///< by value, in elements; -1 where it lies elsewhere
  std::int64_t elements = 0;          ///< of the block
};

/// elsewhere: values that have memory of their own.
MemoryPlan plan_memory(const Graph& graph, const Kernels& kernels,
                       const std::vector<bool>& elsewhere);

}  // namespace systole::graph
