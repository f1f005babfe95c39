#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/verify/verify_case.h"

namespace systole::verify {

/// A vector stream whose words wait for a memory that takes them slowly.
inline constexpr const char* kManyOutputs = "vector many outputs";

/// Every kind that a program can be of before it runs: kinds of command, special cases of commands,
/// ways to end, and memories.
std::vector<std::string> kinds_to_have();

/// The kinds of this program's first `commands` commands, with repetitions.
std::vector<std::string> kinds_of(const Case& which, const Program& program, std::size_t commands);

}  // namespace systole::verify
