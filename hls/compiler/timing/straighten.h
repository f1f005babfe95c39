#pragma once

#include <map>

namespace llvm {
class Function;
class Instruction;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// Makes one block of an edge's branches, for its timing only: each effect keeps the condition
/// under which it happens, and a loop becomes its first iteration, as all iterations are alike in
/// time.
///
/// before  br %starts, store, join     after  %row = ...
///         store: write_register %row         write_register %row, under %starts
///
/// Effect  the condition of each effect that has one
std::map<const llvm::Instruction*, const llvm::Value*> straighten(llvm::Function& function);

}  // namespace systole::compiler
