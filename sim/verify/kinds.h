#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/verify/verify_case.h"

namespace systole::verify {

/// Every kind that a program has, or has not, before it runs: of command, of what is special about
/// one, of ending, of memory.
std::vector<std::string> kinds_to_have();

/// Those of this program, some more than once, counting its first `commands` commands.
std::vector<std::string> kinds_of(const Case& which, const Program& program, std::size_t commands);

}  // namespace systole::verify
