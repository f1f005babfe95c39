#pragma once

#include <string>

#include "hls/compiler/emit/module.h"
#include "hls/compiler/ir/lowered_thread.h"

namespace systole::compiler {

/// A thread as a SystemVerilog module: one state for each co_await, named by an enum; what happens
/// at the edge that ends a state stands in that state's branch, under what it waits for.
///
/// Errors   Refusal with a source position
std::string emit_thread_module(const LoweredThread& thread, const ModuleText& text);

}  // namespace systole::compiler
