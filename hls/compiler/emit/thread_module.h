#pragma once

#include "hls/compiler/emit/module.h"
#include "hls/compiler/ir/lowered_thread.h"

namespace systole::compiler {

/// Prints a thread as a SystemVerilog module: an enum with one state for each co_await; the work at
/// the edge that ends a state is in that state's branch, under its wait condition.
///
/// Errors   Refusal with a source position
sv::Module emit_thread_module(const LoweredThread& thread, const ModuleText& text);

}  // namespace systole::compiler
