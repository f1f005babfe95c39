#include "hls/compiler/loops/loop_options.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "hls/compiler/loops/kernel_analyses.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

constexpr const char* kInterval = "systole.interval";
constexpr const char* kTrips = "systole.trips";

}  // namespace

void take_loop_options(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  std::vector<llvm::CallInst*> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (callee && callee->getName() == "hlsc_loop_option") calls.push_back(call);
  }
  for (llvm::CallInst* call : calls) {
    llvm::Loop* loop = loops.getLoopFor(call->getParent());
    if (!loop) {
      refuse(*call, "this is in no loop; put pipeline, sequential or unroll into a loop's body");
    }
    const auto option = llvm::cast<llvm::ConstantInt>(call->getArgOperand(0))->getZExtValue();
    const auto value = static_cast<unsigned>(
        llvm::cast<llvm::ConstantInt>(call->getArgOperand(1))->getZExtValue());
    if (option == 0) {
      llvm::addStringMetadataToLoop(loop, kInterval, value);
    } else if (value == 0) {
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.full", 1);
    } else {
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.count", value);
    }
    call->eraseFromParent();
  }
}

std::optional<int> interval_asked(const llvm::Loop& loop) {
  return llvm::getOptionalIntLoopAttribute(&loop, kInterval);
}

void note_trip_counts(llvm::Function& function) {
  KernelAnalyses analyses(function);
  for (llvm::Loop* loop : analyses.loops().getLoopsInPreorder()) {
    if (!loop->getLoopLatch() || loop->getExitingBlock() != loop->getLoopLatch()) continue;
    if (const unsigned count = analyses.evolution().getSmallConstantTripCount(loop)) {
      llvm::addStringMetadataToLoop(loop, kTrips, count);
    }
  }
}

unsigned trip_count(const llvm::Loop& loop) {
  return static_cast<unsigned>(llvm::getOptionalIntLoopAttribute(&loop, kTrips).value_or(0));
}

void mark_initial_values(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  const auto sets_only = [](const llvm::Loop& loop) {
    return std::ranges::all_of(loop.blocks(), [](const llvm::BasicBlock* block) {
      return std::ranges::all_of(*block, [](const llvm::Instruction& instruction) {
        const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        if (store) {
          return llvm::isa<llvm::Constant>(store->getValueOperand()) &&
                 llvm::isa<llvm::AllocaInst>(
                     llvm::getUnderlyingObject(store->getPointerOperand(), 0));
        }
        return !instruction.mayReadOrWriteMemory();
      });
    });
  };
  std::map<const llvm::Value*, bool> indexed;  // by a variable, in other loops
  std::map<llvm::Loop*, std::set<const llvm::Value*>> nests;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (!pointer) continue;
    const llvm::Value* array = llvm::getUnderlyingObject(pointer, 0);
    llvm::Loop* outermost = nullptr;
    for (llvm::Loop* loop = loops.getLoopFor(instruction.getParent()); loop && sets_only(*loop);
         loop = loop->getParentLoop()) {
      outermost = loop;
    }
    if (outermost) {
      nests[outermost].insert(array);
      continue;
    }
    llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
    const bool constant = pointer->stripAndAccumulateConstantOffsets(layout, offset, true) == array;
    indexed[array] = indexed[array] || !constant;
  }
  for (const auto& [nest, arrays] : nests) {
    const bool all = std::ranges::none_of(arrays, [&](const auto* one) { return indexed[one]; });
    if (!all) continue;
    for (llvm::Loop* loop : nest->getLoopsInPreorder()) {
      llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.full", 1);
    }
  }
}

}  // namespace systole::compiler
