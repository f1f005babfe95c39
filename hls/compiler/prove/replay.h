#pragma once

#include <string>
#include <vector>

#include "hls/compiler/frontend/compile.h"

namespace systole::compiler {

/// Runs the pure function itself, compiled for this machine, on each set of arguments.
///
/// Shapes   arguments and results as hexadecimal digits, most significant first
/// Errors   std::runtime_error if it does not compile
std::vector<std::string> run_natively(const Source& source,
                                      const std::vector<std::vector<std::string>>& arguments);

}  // namespace systole::compiler
