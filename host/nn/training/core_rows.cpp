#include "host/nn/training/core_rows.h"

#include "host/graph/cores.h"

namespace systole::nn {

std::vector<Value> means_over_cores(const CoreRows& core, std::span<const Value> values) {
  if (core.cores == 1 || values.empty()) return {values.begin(), values.end()};
  const graph::Graph::Scope scope(values.front().graph(), "sum over cores");
  const float share = static_cast<float>(core.rows) / static_cast<float>(core.all);
  std::vector<Value> means(values.size());
  for (std::size_t i = values.size(); i-- > 0;) {
    const Value none = constant(values[i].graph(), values[i].type(), -0.0);
    means[i] = all_reduce(core.rows > 0 ? values[i] * share : none, core.cores);
  }
  return means;
}

}  // namespace systole::nn
