#include "hls/compiler/loops/loop_options.h"

#include <fmt/format.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "hls/compiler/loops/kernel_analyses.h"
#include "hls/compiler/passes/plain_comparison.h"
#include "hls/compiler/passes/switches_to_tests.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

constexpr const char* kInterval = "systole.interval";
constexpr const char* kTrips = "systole.trips";
constexpr const char* kMostTrips = "systole.most_trips";
constexpr const char* kFlattened = "systole.flattened";
constexpr const char* kCopies = "llvm.loop.unroll.count";
constexpr const char* kAllCopies = "llvm.loop.unroll.full";

/// Tests what it tests at its operands' own width, and no negation.
void write_plainly(llvm::BranchInst& branch) {
  constexpr int kMostRounds = 8;
  for (int round = 0; round < kMostRounds; ++round) {
    llvm::Value* inner = nullptr;
    if (match(branch.getCondition(),
              llvm::PatternMatch::m_Not(llvm::PatternMatch::m_Value(inner)))) {
      branch.setCondition(inner);
      branch.swapSuccessors();
      continue;
    }
    auto* test = llvm::dyn_cast<llvm::ICmpInst>(branch.getCondition());
    if (!test) return;
    llvm::IRBuilder<> builder(test);
    llvm::Value* plain = plain_comparison(*test, builder);
    if (!plain) return;
    branch.setCondition(plain);
  }
}

llvm::SmallVector<llvm::BasicBlock*, 4> exiting_blocks(const llvm::Loop& loop) {
  llvm::SmallVector<llvm::BasicBlock*, 4> blocks;
  loop.getExitingBlocks(blocks);
  return blocks;
}

/// Whether anything is left of what the loop does.
bool has_effect(const llvm::Loop& loop) {
  return llvm::any_of(loop.blocks(), [&](const llvm::BasicBlock* block) {
    return llvm::any_of(*block, [&](const llvm::Instruction& one) {
      return one.mayHaveSideEffects() || llvm::any_of(one.users(), [&](const llvm::User* user) {
               return !loop.contains(llvm::cast<llvm::Instruction>(user));
             });
    });
  });
}

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
  // LLVM may have copied a call; a second one of the user's stands at another place.
  std::map<std::pair<const llvm::Loop*, std::uint64_t>, std::string> places;
  for (llvm::CallInst* call : calls) {
    llvm::Loop* loop = loops.getLoopFor(call->getParent());
    if (!loop) {
      refuse(*call, "this is in no loop; put pipeline, sequential or unroll into a loop's body");
    }
    const auto option = llvm::cast<llvm::ConstantInt>(call->getArgOperand(0))->getZExtValue();
    const auto value = static_cast<unsigned>(
        llvm::cast<llvm::ConstantInt>(call->getArgOperand(1))->getZExtValue());
    const std::string place = source_position(*call);
    const auto [asked, is_first] = places.try_emplace({loop, option}, place);
    if (!is_first && asked->second != place) {
      refuse(*call,
             fmt::format("this loop has {} already, at {}; keep one of them",
                         option == 0 ? "a pipeline or sequential" : "an unroll", asked->second));
    }
    if (option == 0) {
      llvm::addStringMetadataToLoop(loop, kInterval, value);
    } else if (value == 0) {
      llvm::addStringMetadataToLoop(loop, kAllCopies, 1);
    } else {
      llvm::addStringMetadataToLoop(loop, kCopies, value);
    }
    call->eraseFromParent();
  }
}

void count_copied_loops(llvm::Function& function) {
  KernelAnalyses analyses(function);
  std::vector<llvm::Loop*> copied;
  for (llvm::Loop* loop : analyses.loops().getLoopsInPreorder()) {
    if (llvm::findStringMetadataForLoop(loop, kCopies)) copied.push_back(loop);
  }
  for (const llvm::Loop* loop : copied) {
    for (llvm::BasicBlock* block : exiting_blocks(*loop)) {
      auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      if (branch && branch->isConditional()) write_plainly(*branch);
    }
  }
  for (const llvm::Loop* loop : copied) {
    if (!has_effect(*loop)) continue;  // unrolling deletes it
    analyses.evolution().forgetLoop(loop);
    const bool is_counted = llvm::all_of(exiting_blocks(*loop), [&](llvm::BasicBlock* block) {
      // The default of a switch over all values, say.
      const bool is_never_left =
          llvm::all_of(llvm::successors(block), [&](const llvm::BasicBlock* next) {
            return loop->contains(next) || is_never_reached(*next);
          });
      return is_never_left ||
             !llvm::isa<llvm::SCEVCouldNotCompute>(analyses.evolution().getExitCount(loop, block));
    });
    if (is_counted) continue;
    refuse(*loop->getLoopLatch()->getTerminator(),
           "nothing says before this loop how often it runs, so each of its copies may end it and "
           "they run one after the other; count to a variable that the loop does not change, "
           "without a break, or take unroll out");
  }
}

void check_unrolled(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  for (const llvm::Loop* loop : loops.getLoopsInPreorder()) {
    // LLVM takes these off the loop that it unrolls, and off what is left of it.
    if (!llvm::findStringMetadataForLoop(loop, kCopies) &&
        !llvm::findStringMetadataForLoop(loop, kAllCopies)) {
      continue;
    }
    refuse(*loop->getLoopLatch()->getTerminator(),
           "this loop is to be unrolled and has no constant number of iterations; give it a "
           "constant bound, or ask for n copies with unroll<n>()");
  }
}

std::optional<int> interval_asked(const llvm::Loop& loop) {
  return llvm::getOptionalIntLoopAttribute(&loop, kInterval);
}

void note_trip_counts(llvm::Function& function) {
  KernelAnalyses analyses(function);
  constexpr unsigned kMostNoted = 1 << 24;  // a bound beyond, as a plain int's, says nothing
  for (llvm::Loop* loop : analyses.loops().getLoopsInPreorder()) {
    llvm::ScalarEvolution& evolution = analyses.evolution();
    const bool has_one_end =
        loop->getLoopLatch() && loop->getExitingBlock() == loop->getLoopLatch();
    if (const unsigned count = has_one_end ? evolution.getSmallConstantTripCount(loop) : 0) {
      llvm::addStringMetadataToLoop(loop, kTrips, count);
    }
    const unsigned most = evolution.getSmallConstantMaxTripCount(loop);
    if (most <= kMostNoted) llvm::addStringMetadataToLoop(loop, kMostTrips, most);
  }
}

unsigned most_trips(const llvm::Loop& loop) {
  return static_cast<unsigned>(llvm::getOptionalIntLoopAttribute(&loop, kMostTrips).value_or(0));
}

unsigned trip_count(const llvm::Loop& loop) {
  return static_cast<unsigned>(llvm::getOptionalIntLoopAttribute(&loop, kTrips).value_or(0));
}

void note_flattened(llvm::Loop& loop, const std::string& outer, unsigned trips) {
  llvm::addStringMetadataToLoop(&loop, kTrips, trips);
  llvm::addStringMetadataToLoop(&loop, kMostTrips, trips);
  llvm::LLVMContext& context = loop.getHeader()->getContext();
  std::vector<llvm::Metadata*> parts = {nullptr};
  const llvm::MDNode* before = loop.getLoopID();
  for (unsigned i = 1; i < before->getNumOperands(); ++i) parts.push_back(before->getOperand(i));
  parts.push_back(llvm::MDNode::get(
      context, {llvm::MDString::get(context, kFlattened), llvm::MDString::get(context, outer)}));
  llvm::MDNode* after = llvm::MDNode::getDistinct(context, parts);
  after->replaceOperandWith(0, after);
  loop.setLoopID(after);
}

std::vector<std::string> flattened_positions(const llvm::Loop& loop) {
  std::vector<std::string> positions;
  const llvm::MDNode* described = loop.getLoopID();
  for (unsigned i = 1; described && i < described->getNumOperands(); ++i) {
    const auto* part = llvm::dyn_cast<llvm::MDNode>(described->getOperand(i));
    const auto* name = part && part->getNumOperands() == 2
                           ? llvm::dyn_cast<llvm::MDString>(part->getOperand(0))
                           : nullptr;
    if (!name || name->getString() != kFlattened) continue;
    positions.push_back(llvm::cast<llvm::MDString>(part->getOperand(1))->getString().str());
  }
  return positions;
}

void mark_initial_values(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  const auto sets_only = [](const llvm::Loop& loop) {
    return std::ranges::all_of(loop.blocks(), [](const llvm::BasicBlock* block) {
      return std::ranges::all_of(*block, [](const llvm::Instruction& instruction) {
        const auto is_local = [](const llvm::Value* pointer) {
          return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer, 0));
        };
        if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
          return llvm::isa<llvm::Constant>(store->getValueOperand()) &&
                 is_local(store->getPointerOperand());
        }
        if (const auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&instruction)) {
          return llvm::isa<llvm::Constant>(fill->getValue()) && is_local(fill->getDest());
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
      llvm::addStringMetadataToLoop(loop, kAllCopies, 1);
    }
  }
}

}  // namespace systole::compiler
