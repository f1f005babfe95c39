#pragma once

#include <llvm/IR/PassManager.h>

namespace systole::compiler {

/// Turns what an if or a switch chooses into a choice of values, also where its arms have effects
/// of their own: outputs and registers then depend on values alone. LLVM does this for two arms
/// without effects; this does it for any number, and leaves the effects where they are.
///
/// before  switch %x [0: %a, 1: %b, else: %c]        after  %p1 = select (%x == 1), %vb, %vc
///         join: %p = phi [%va], [%vb], [%vc]               %p = select (%x == 0), %va, %p1
///
/// Limits   a value that is read from an array inside an arm stays there when an arm writes
void select_joins(llvm::Function& function);

/// The same for addresses alone: a reference to one of several objects becomes a choice, and loads
/// through it choices of what the objects hold.
struct SelectPointers : llvm::PassInfoMixin<SelectPointers> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
};

}  // namespace systole::compiler
