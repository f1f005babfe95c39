#pragma once

#include <vector>

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace systole::compiler {

/// Steps that modules, pure functions and threads have in common (lower_module.cpp).

/// Exact widths, and everything inlined into the roots but the edges of other structs.
void prepare_program(llvm::Module& program, const std::vector<const llvm::Function*>& roots);

/// Refuses a call that is left: recursion, a virtual function, allocation.
void refuse_recursion(const llvm::Function& root);

}  // namespace systole::compiler
