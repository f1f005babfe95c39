#pragma once

#include <string_view>
#include <vector>

#include "host/graph/artifact/bytecode.h"
#include "host/graph/collectives.h"
#include "host/graph/reduce_by.h"

namespace systole::graph::artifact {

/// Whether an operation of this name asks what other cores have, or which core it is on.
bool is_collective(std::string_view name);

/// Its results on a core. A program's cores are its replicas or its partitions, by their numbers.
///
/// combine: the function of a reduction that is no sum
///
/// Errors   GraphError for groups and attributes that are not supported
std::vector<Value> read_collective(const StatedOperation& operation, Graph& graph, CorePlace place,
                                   const std::vector<Value>& operands, const Combine& combine);

}  // namespace systole::graph::artifact
