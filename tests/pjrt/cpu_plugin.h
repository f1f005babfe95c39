#pragma once

#include <string>

namespace systole::tests {

/// XLA's CPU plugin: $SYSTOLE_PJRT_CPU, or what scripts/setup put into build/frameworks; empty,
/// with a warning that makes ctest say "Skipped", if there is none.
std::string cpu_plugin();

}  // namespace systole::tests
