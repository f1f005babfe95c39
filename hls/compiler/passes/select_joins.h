#pragma once

#include <llvm/IR/PassManager.h>

namespace systole::compiler {

/// Turns values chosen by an if or a switch into selects, even if its arms have effects: outputs
/// and registers then depend on values alone. LLVM does this for two arms without effects; this
/// pass handles any number and leaves the effects in place.
///
/// before  switch %x [0: %a, 1: %b, else: %c]        after  %p1 = select (%x == 1), %vb, %vc
///         join: %p = phi [%va], [%vb], [%vc]               %p = select (%x == 0), %va, %p1
///
/// Limits   a value read from an array inside an arm stays there if an arm writes
void select_joins(llvm::Function& function);

/// The same for addresses alone: a reference to one of several objects becomes a select, and loads
/// through it become selects of the objects' values.
struct SelectPointers : llvm::PassInfoMixin<SelectPointers> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace systole::compiler
