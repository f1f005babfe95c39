#include "hls/compiler/passes/inline_late_calls.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <set>
#include <vector>

#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

const llvm::Function* defined_callee(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && !callee->isDeclaration() ? callee : nullptr;
}

/// Whether a call of the function can come back to it.
bool is_recursive(const llvm::Function& function) {
  std::set<const llvm::Function*> seen;
  std::vector<const llvm::Function*> left = {&function};
  while (!left.empty()) {
    const llvm::Function* one = left.back();
    left.pop_back();
    for (const llvm::Instruction& instruction : llvm::instructions(*one)) {
      const llvm::Function* callee = defined_callee(instruction);
      if (callee == &function) return true;
      if (callee && seen.insert(callee).second) left.push_back(callee);
    }
  }
  return false;
}

}  // namespace

bool inline_late_calls(llvm::Function& function, bool (*stays)(const llvm::Function& callee)) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const llvm::Function* callee = defined_callee(instruction);
    if (callee && callee != &function && !stays(*callee) && !is_recursive(*callee)) {
      calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
    }
  }
  bool changed = false;
  for (llvm::CallInst* call : calls) {
    llvm::InlineFunctionInfo info;
    changed = llvm::InlineFunction(*call, info).isSuccess() || changed;
  }
  return changed;
}

void refuse_clock_in_itself(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  bool inside = callee == call.getFunction();
  for (const llvm::DILocation* at = call.getDebugLoc().get(); at; at = at->getInlinedAt()) {
    inside = inside || (callee->getSubprogram() &&
                        at->getScope()->getSubprogram() == callee->getSubprogram());
  }
  if (inside) refuse(call, "clock() calls itself; one call is one edge of the clock");
}

}  // namespace systole::compiler
