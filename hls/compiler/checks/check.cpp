#include "hls/compiler/checks/check.h"

#include <fmt/format.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>
#include <set>

#include "hls/compiler/checks/pipeline_uses.h"
#include "hls/compiler/checks/unset_variables.h"
#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/ir/lowered_thread.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/passes/make_sequential.h"
#include "hls/compiler/passes/split_at_suspensions.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

bool uses_floating_point(const llvm::Instruction& instruction) {
  if (instruction.getType()->isFPOrFPVectorTy()) return true;
  for (const llvm::Value* operand : instruction.operands()) {
    if (operand->getType()->isFPOrFPVectorTy()) return true;
  }
  return false;
}

bool is_volatile(const llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isVolatile();
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return store->isVolatile();
  return false;
}

void check_intrinsic(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!call) return;
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::trap:
    case llvm::Intrinsic::debugtrap:
    case llvm::Intrinsic::ubsantrap:
      refuse(*call, "hardware cannot stop; give an output that says what went wrong");
    case llvm::Intrinsic::threadlocal_address:
      refuse(*call,
             "this is a static or global variable, which is no register of this module; make it "
             "a member");
    default:
      return;
  }
}

/// An instruction with a source position near the end of a function, which itself has none.
const llvm::Instruction& at_end_of(const llvm::Instruction& end) {
  if (!source_position(end).empty()) return end;
  for (const llvm::BasicBlock* block : llvm::predecessors(end.getParent())) {
    if (!source_position(*block->getTerminator()).empty()) return *block->getTerminator();
  }
  return end;
}

/// Whoever wires a module knows its ports by their names.
void check_port_names(const LoweredModule& module) {
  std::map<std::string, const Leaf*> owners = {{"clk_i", nullptr}, {"rst_ni", nullptr}};
  const auto check = [&](const Leaf& leaf, const char* suffix) {
    const std::string base = without_underscore(leaf.name);
    const auto [found, is_new] = owners.emplace(base + suffix, &leaf);
    if (is_new) return;
    const Leaf* other = found->second;
    const std::string position = !leaf.position.empty() ? leaf.position
                                 : other && !other->position.empty()
                                     ? other->position
                                     : source_position(*module.clock->getSubprogram());
    throw Refusal(fmt::format("{}: two ports of this module would be called '{}'; rename '{}'",
                              position, found->first, base));
  };
  for (const Leaf& leaf : module.inputs) check(leaf, "_i");
  for (const Leaf& leaf : module.outputs) check(leaf, "_o");
}

/// Whether every element of every output is written.
void check_outputs(const LoweredModule& module) {
  std::set<std::pair<std::int64_t, std::int64_t>> written;
  for (const llvm::Instruction& instruction : llvm::instructions(*module.clock)) {
    if (!is_operation(instruction, Operation::kWritePort)) continue;
    const auto& call = llvm::cast<llvm::CallInst>(instruction);
    const llvm::Value* value = call.getArgOperand(2);
    if (llvm::isa<llvm::UndefValue>(value) && !llvm::isa<llvm::PoisonValue>(value)) continue;
    if (is_unset(*value)) continue;
    written.insert({constant_argument(call, 0), constant_argument(call, 1)});
  }
  for (std::size_t leaf = 0; leaf < module.outputs.size(); ++leaf) {
    const Leaf& one = module.outputs[leaf];
    for (std::int64_t element = 0; element < one.elements(); ++element) {
      if (written.count({static_cast<std::int64_t>(leaf), element}) != 0) continue;
      throw Refusal(
          fmt::format("{}: output '{}' has no value; set it in clock()", one.position, one.name));
    }
  }
}

void check_submodules(const LoweredModule& module) {
  for (std::size_t leaf = 0; leaf < module.state.size(); ++leaf) {
    const Leaf& one = module.state[leaf];
    if (one.kind == LeafKind::kInstance && module.instances.count(static_cast<int>(leaf)) == 0) {
      throw Refusal(
          fmt::format("{}: submodule '{}' is never clocked; call its clock() once, or "
                      "remove it",
                      one.position, one.name));
    }
  }
}

void check_reset(const LoweredModule& module) {
  if (!module.reset) return;
  for (const llvm::Instruction& instruction : llvm::instructions(*module.reset)) {
    for (const Operation read :
         {Operation::kReadRegister, Operation::kLoad, Operation::kPipelineOutput}) {
      if (is_operation(instruction, read) && !instruction.use_empty()) {
        // All reads are at reset()'s start: the line is that of a use.
        refuse(*llvm::cast<llvm::Instruction>(*instruction.user_begin()),
               "reset() reads a register, which the same edge changes; reset to "
               "constants");
      }
    }
    if (is_operation(instruction, Operation::kPipelineClock)) {
      refuse(instruction, "reset() clocks a pipeline; clock it in clock()");
    }
  }
}

}  // namespace

void check_language(llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (uses_floating_point(instruction)) {
      refuse(instruction,
             "a float or double has no hardware here; use UInt<N> or Int<N>, as "
             "hls/kernels/fp32.h does");
    }
    if (is_volatile(instruction)) {
      refuse(instruction, "volatile has no meaning in hardware; remove it");
    }
    if (instruction.isAtomic()) {
      refuse(instruction, "an atomic access has no meaning in hardware; every edge is atomic");
    }
    const auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (local && !llvm::isa<llvm::Constant>(local->getArraySize())) {
      refuse(instruction, "hardware cannot allocate memory; give the array a constant size");
    }
    check_intrinsic(instruction);
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call && call->isInlineAsm())
      refuse(instruction, "assembly has no hardware; write it in C++");
  }
}

void check_ends(const llvm::Function& function) {
  for (const llvm::BasicBlock& block : function) {
    const llvm::Instruction& end = *block.getTerminator();
    if (!llvm::isa<llvm::UnreachableInst>(end)) continue;
    const llvm::DebugLoc& place = at_end_of(end).getDebugLoc();
    // The standard library's dead ends follow a throw; the call before them is refused.
    if (place && place->getFilename().contains("/c++/")) continue;
    refuse(at_end_of(end),
           "a function that returns a value may end here without one; return one after the "
           "switch or if, too: hardware holds every value of its bits");
  }
}

void check_loops(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  for (const llvm::Loop* loop : loops) {
    if (!loop->hasNoExitBlocks()) continue;
    refuse(*loop->getHeader()->getTerminator(), "this loop never ends; give it a constant bound");
  }
}

void check_values(const llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) continue;
    refuse_unset(instruction);
    for (const llvm::Value* operand : instruction.operands()) {
      if (llvm::isa<llvm::UndefValue>(operand)) {
        refuse(instruction,
               "this uses something that has no value: a local variable that was not "
               "set, or an operation beyond its limits; give it one");
      }
    }
  }
}

void check_addresses(const llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    for (const llvm::Value* operand : instruction.operands()) {
      if (!operand->getType()->isPointerTy() || (call && operand == call->getCalledOperand())) {
        continue;
      }
      refuse(instruction, "an address has no meaning in hardware; compare values or indices");
    }
  }
}

void check_waits(const Suspensions& suspensions, const llvm::Function& thread) {
  for (const llvm::CallInst* call : suspensions.calls) {
    if (!is_final(*call)) return;
  }
  const llvm::DISubprogram& subprogram = *thread.getSubprogram();
  throw Refusal(
      fmt::format("{}: '{}' never waits; co_await clock(), a stream's pop() or its push()",
                  source_position(subprogram), subprogram.getName().str()));
}

void check_reset(const LoweredThread& thread) {
  for (const llvm::Instruction& instruction : llvm::instructions(*thread.reset)) {
    if (is_operation(instruction, Operation::kReadPort) ||
        is_operation(instruction, Operation::kReadRegister)) {
      refuse(instruction,
             "up to its first wait a thread runs at reset, where it can read no input; put "
             "co_await clock() before this");
    }
  }
}

void check_module(const LoweredModule& module) {
  check_port_names(module);
  check_addresses(*module.clock);
  if (module.reset) check_addresses(*module.reset);
  check_outputs(module);
  check_values(*module.clock);
  if (module.reset) check_values(*module.reset);
  check_submodules(module);
  check_reset(module);
  check_pipeline_uses(module);
}

}  // namespace systole::compiler
