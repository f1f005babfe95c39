#include "hls/compiler/passes/inline_late_calls.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <set>
#include <vector>

#include "hls/compiler/analyses/edges.h"
#include "hls/compiler/checks/calls.h"
#include "hls/compiler/checks/shift_amounts.h"
#include "hls/compiler/passes/lower_instances.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

const llvm::Function* defined_callee(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && !callee->isDeclaration() ? callee : nullptr;
}

/// Whether the function can call itself, directly or not.
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

/// Whether the call may be a submodule's whose place is known once loops are unrolled: `for (auto&
/// one : processes_) one.reset();`.
bool may_be_instance(const llvm::CallInst& call, const std::vector<Leaf>& state) {
  const llvm::DICompositeType* type = class_of(call.getCalledFunction()->getSubprogram());
  return llvm::isa<llvm::PHINode>(
             llvm::getUnderlyingObject(call.getArgOperand(call.hasStructRetAttr() ? 1 : 0), 0)) &&
         std::ranges::any_of(state, [&](const Leaf& leaf) {
           return leaf.kind == LeafKind::kInstance &&
                  leaf.type->getIdentifier() == type->getIdentifier();
         });
}

}  // namespace

bool inline_lanes(llvm::Function& edge, const std::vector<Leaf>& state) {
  const llvm::Value* self = edge.getArg(edge.hasStructRetAttr() ? 1 : 0);
  std::vector<llvm::CallInst*> lanes;
  for (llvm::Instruction& instruction : llvm::instructions(edge)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || !is_edge(*callee) || is_pipeline_clock(*callee)) continue;
    refuse_clock_in_itself(*call);
    if (instance_of(*call, *self, state) < 0 && !may_be_instance(*call, state)) {
      lanes.push_back(call);
    }
  }
  for (llvm::CallInst* call : lanes) {
    check_shift_amounts(*call->getCalledFunction());
    llvm::InlineFunctionInfo info;
    if (!llvm::InlineFunction(*call, info).isSuccess())
      refuse(*call, "this call cannot be inlined");
  }
  return !lanes.empty();
}

bool inline_late_calls(llvm::Function& function) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const llvm::Function* callee = defined_callee(instruction);
    if (callee && callee != &function && !stays_call(*callee) && !is_recursive(*callee)) {
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

}  // namespace systole::compiler
