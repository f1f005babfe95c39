#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/graph/graph.h"

namespace systole::lowering {

/// A step in two graphs: what follows from host scalars alone, which the host computes before each
/// run, and the rest, which a device runs.
///
/// Host scalars are the step's scalars, such as a learning rate or a count of steps, and keys of
/// random numbers (ui32, at most 16 elements), unless the step updates them from anything else. The
/// device is fed what it needs of what follows from them: scalars, and tensors of random numbers,
/// such as a dropout's mask.
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
