#pragma once

#include <functional>
#include <span>
#include <vector>

#include "host/cpu/kernel.h"

namespace systole::graph {

/// Replaces one core's values by their sum over all cores, in the order of the cores; returns when
/// it is there. Each core calls it for each sum, in the graph's order.
using SumOverCores = std::function<void(std::span<float> values)>;

/// A core's kernels for the all_reduces of its graph, for CpuProgram::Elsewhere: programs of
/// several cores, each on a thread, that meet at their sums.
///
/// Numbers  those of `sum`: ordered_sum's are evaluate_cores'
std::vector<Kernel> core_sums(const Graph& graph, const SumOverCores& sum);

}  // namespace systole::graph
