#pragma once

#include <memory>
#include <string_view>

#include "host/graph/collectives.h"
#include "host/graph/graph.h"
#include "host/graph/text.h"

namespace systole::graph {

/// Whether these bytes begin as a portable artifact does.
bool is_artifact(std::string_view bytes);

/// Reads a portable artifact of StableHLO, which is what JAX hands a device: MLIR's bytecode of the
/// dialect VHLO. Calls and composites are inlined into the main function, loops that count to a
/// constant are unrolled, and of choices all branches are computed, as in a text (text.h). An
/// operation's scope is its line in the user's program: "train.py:12". What cores tell each other
/// is that of core `place` (collectives.h).
///
/// Limits   StableHLO 0.9 to 1.0, in which 64 bits are for counters of random words alone
/// Errors   GraphError, "train.py:12: what is wrong", or what is wrong with the bytecode
std::unique_ptr<Graph> read_artifact(std::string_view bytes, Products products, CorePlace place);

}  // namespace systole::graph
