#pragma once

#include <string>
#include <vector>

#include "hls/compiler/compiler.h"
#include "hls/compiler/dataflow/network.h"
#include "hls/compiler/frontend/compile.h"

namespace systole::compiler {

/// Compiles a dataflow() function of the program: a module for each function that it calls, and
/// last the one that joins them.
///
/// Errors   as generate_kernel(), and Refusal for a network that is not a chain from writers to
///          readers, or that stops for ever
std::vector<GeneratedModule> generate_network(const Program& program, const std::string& function,
                                              const Source& source, const KernelGoal& goal,
                                              const std::string& target);

}  // namespace systole::compiler
