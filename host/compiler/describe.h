#pragma once

#include <string>

#include "host/compiler/program/step_program.h"

namespace systole::lowering {

/// A step's program in words: its units with what they read and write, the memory plan with its
/// peak, commands, and the clocks that each engine is busy, estimated by the planner.
std::string describe(const StepProgram& step);

}  // namespace systole::lowering
