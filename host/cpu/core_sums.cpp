#include "host/cpu/core_sums.h"

#include <algorithm>

#include "host/graph/cores.h"

namespace systole::graph {

std::vector<Kernel> core_sums(const Graph& graph, const SumOverCores& sum) {
  std::vector<Kernel> kernels;
  for (const Operation& operation : graph.operations()) {
    if (cores_of(operation) == 1) continue;
    const int from = operation.operands[0], to = operation.results[0];
    Kernel kernel{.reads = {from}, .writes = {to}};
    // All cores meet in the same order, whatever else their graphs compute.
    if (!kernels.empty()) kernel.reads.push_back(kernels.back().writes[0]);
    const auto count = static_cast<std::size_t>(element_count(graph.type(to).shape));
    kernel.run = [from, to, count, sum](Pointers pointers, int) {
      const std::span<float> values(pointer<float>(pointers, to), count);
      std::ranges::copy_n(pointer<float>(pointers, from), std::ssize(values), values.begin());
      sum(values);
    };
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace systole::graph
