#pragma once

#include "hls/compiler/emit/module.h"
#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/schedule/stages.h"

namespace systole::compiler {

/// Prints a pipelined pure function as a module: its parameters are the inputs, `result_o` is its
/// value `stages` clocks later, one per clock. It has no reset and never stalls.
sv::Module emit_function_module(const LoweredFunction& function, const Schedule& schedule,
                                const ModuleText& text);

}  // namespace systole::compiler
