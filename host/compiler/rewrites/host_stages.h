#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "host/graph/graph.h"

namespace systole::lowering {

/// Part of a step: a program of the device, then what this processor computes of its results. Both
/// are null where there is nothing to do.
struct Stage {
  std::unique_ptr<graph::Graph> device, host;
  std::vector<int> sums;  ///< over cores, of the device's part: their numbers among the step's
};

/// Whether an output is what one part of a step gives others.
bool is_between(std::string_view output);

/// Cuts a device's graph before and after the operations that it lacks, each into the first stage
/// that has its operands:
///
///     a = dot_general(x, w)     ->  stage 0, device: a, an output "between$2"
///     b = atan2(a, y)           ->  stage 0, host: b, an output "between$3"
///     c = dot_general(b, w)         of the inputs "between$2" and y
///                               ->  stage 1, device: c, of the inputs "between$3" and w
///
/// Inputs and outputs are the graph's own, besides what one graph makes for others: "between$" and
/// its number. A state is an input wherever it is read, with the value that it has before the step,
/// and updated in one stage on the device. Constants, broadcasts and reshapes are repeated where
/// they are read.
///
/// is_of_host: whether an operation is this processor's
std::vector<Stage> cut_stages(
    const graph::Graph& graph,
    const std::function<bool(const graph::Operation& operation)>& is_of_host);

}  // namespace systole::lowering
