#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

struct LoweredFunction;
struct LoweredModule;

/// Replaces every access through a pointer by the operations of operations.h, and registers that
/// only constants address by values; fills in module.instances.
void lower_accesses(llvm::Function& function, LoweredModule& module);

/// The same for a pure function's arguments and result.
void lower_function_accesses(llvm::Function& function, const LoweredFunction& lowered);

}  // namespace systole::compiler
