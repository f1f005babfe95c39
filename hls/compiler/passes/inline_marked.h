#pragma once

#include <vector>

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace systole::compiler {

/// Marks every function for inlining but the roots, other structs' edges and Pipeline's members.
void mark_for_inlining(llvm::Module& module, const std::vector<llvm::Function*>& roots);

/// Inlines the marked functions, everywhere in the module.
///
/// before  %y = call i8 @twice(i8 %x)    after  %y = shl i8 %x, 1
void inline_marked(llvm::Module& module);

}  // namespace systole::compiler
