#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/graph/graph.h"

namespace systole::lowering {

/// A step in two graphs: what follows from numbers alone, which the host computes before each run,
/// and the rest, which a device runs whole.
///
/// Numbers are the step's scalars, as a learning rate or a count of steps, and keys of random
/// numbers (ui32, at most 16 elements), unless the step updates them from anything else. What the
/// device needs of what follows from them is fed to it: scalars, and tensors of random numbers, as
/// a dropout's mask.
struct SeparatedStep {
  std::unique_ptr<graph::Graph> numbers;  ///< its outputs: what is fed, then the step's own
  std::unique_ptr<graph::Graph> device;   ///< null if nothing is left for it
  /// Outputs of `numbers` that are inputs of `device`, by name; a predicate is a ui32, all ones or
  /// zero.
  std::vector<std::string> fed;
  std::vector<std::string> unchanged;  ///< inputs that the step returns as they are
};

/// updated_by: for each input of the step the output with its next value, or -1; instead of the
/// graph's own.
///
/// Errors   graph::GraphError for updates that are not the inputs' types, or given twice
SeparatedStep separate_numbers(const graph::Graph& step, std::span<const int> updated_by);

}  // namespace systole::lowering
