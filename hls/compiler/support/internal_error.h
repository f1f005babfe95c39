#pragma once

#include <functional>
#include <string>

namespace systole::compiler {

/// The exit code of a fault of the compiler's own.
inline constexpr int kInternalError = 3;

/// "hlsc: internal error: WHAT; please report it ...", the one line that ends every such fault.
std::string internal_error_line(const std::string& what);

/// Runs the work on a thread with a deep stack, and ends the process with internal_error_line() and
/// kInternalError if it crashes: a fatal LLVM error, exhausted memory, a signal. The work catches
/// its own exceptions. Call once per process.
int run_guarded(const std::function<int()>& work);

}  // namespace systole::compiler
