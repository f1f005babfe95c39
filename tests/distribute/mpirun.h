#pragma once

#include <string>
#include <vector>

#include "tests/support/run_program.h"

namespace systole::tests {

/// Runs a program as `ranks` processes on this machine, however few processors it has, root or not.
/// One that hangs is ended after a minute, with exit code 124.
ProgramRun mpirun(int ranks, const std::string& program, const std::vector<std::string>& arguments);

}  // namespace systole::tests
