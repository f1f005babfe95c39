#pragma once

#include <string>

#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/ir/lowered_thread.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace systole::compiler {

/// Lowers clang's IR to what the emitter prints. Changes `program`, clang's output: pass each call
/// a clone.
///
/// before  %p = getelementptr %PE, ptr %pe, i64 %i, i32 1    after  %v = call i16 @hls.load(3, %i)
///         %v = load i16, ptr %p
///
/// Errors   Refusal with the position of a construct outside the language
LoweredModule lower_module(llvm::Module& program, const std::string& clock_function,
                           const std::string& reset_function);
/// Lowers Pipeline::evaluate: `void evaluate(Result&, const A&, const B&...)`.
LoweredFunction lower_function(llvm::Module& program, const std::string& evaluate);
/// Finishes a module that was built from scheduled loops.
void lower_machine(llvm::Module& program, LoweredModule& module);
LoweredThread lower_thread(llvm::Module& program, const std::string& function);

}  // namespace systole::compiler
