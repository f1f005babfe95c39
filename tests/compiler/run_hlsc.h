#pragma once

#include <string>
#include <vector>

#include "tests/support/run_program.h"

namespace systole::tests {

/// A file of this repository.
std::string source_file(const std::string& path);

/// hlsc on a kernel, with the type layer to include.
ProgramRun run_hlsc(const std::string& kernel, const std::string& top,
                    const std::vector<std::string>& more = {});

}  // namespace systole::tests
