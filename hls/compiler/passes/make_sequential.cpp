#include "hls/compiler/passes/make_sequential.h"

#include <fmt/format.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "hls/compiler/frontend/layout.h"
#include "hls/compiler/passes/skip_cleanups.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

constexpr const char* kLabel = "hls.label";

/// The block that runs after a suspension, from the switch that clang puts there.
llvm::BasicBlock* resumed(llvm::SwitchInst& choice) {
  for (const auto& one : choice.cases()) {
    if (one.getCaseValue()->isZero()) return one.getCaseSuccessor();
  }
  return nullptr;
}

llvm::CallInst* suspend_at(llvm::Instruction& at, bool is_final) {
  llvm::IRBuilder<> builder(&at);
  llvm::Module& module = *at.getModule();
  auto function = module.getOrInsertFunction(
      kSuspend, llvm::FunctionType::get(builder.getVoidTy(), {builder.getInt1Ty()}, false));
  llvm::CallInst* call = builder.CreateCall(function, {builder.getInt1(is_final)});
  // Keeps the optimiser from duplicating or merging states.
  call->addFnAttr(llvm::Attribute::NoDuplicate);
  call->addFnAttr(llvm::Attribute::NoMerge);
  call->setDebugLoc(at.getDebugLoc());
  return call;
}

/// A thread's end is its last state; a helper's is its return.
void lower_suspend(llvm::IntrinsicInst& suspend, bool is_helper) {
  const bool final = llvm::cast<llvm::ConstantInt>(suspend.getArgOperand(1))->isOne();
  auto* choice =
      suspend.hasOneUse() ? llvm::dyn_cast<llvm::SwitchInst>(*suspend.user_begin()) : nullptr;
  if (!choice) throw std::logic_error("a suspension without its switch");
  llvm::BasicBlock* block = choice->getParent();
  llvm::BasicBlock* next = final ? nullptr : resumed(*choice);
  llvm::IRBuilder<> builder(choice);
  if (next) {
    suspend_at(suspend, false);
  } else if (is_helper) {
    next = choice->getDefaultDest();
  } else {
    // The end: stays there forever.
    next = llvm::BasicBlock::Create(block->getContext(), "done", block->getParent());
    llvm::IRBuilder<> done(next);
    llvm::BranchInst* again = done.CreateBr(next);
    again->setDebugLoc(suspend.getDebugLoc());
    suspend_at(*again, true);
  }
  bool kept = false;
  for (llvm::BasicBlock* successor : llvm::successors(block)) {
    if (successor == next && !kept) {
      kept = true;
    } else {
      successor->removePredecessor(block);
    }
  }
  builder.CreateBr(next)->setDebugLoc(suspend.getDebugLoc());
  choice->eraseFromParent();
  suspend.eraseFromParent();
}

llvm::CallInst* suspension_in(llvm::BasicBlock& block) {
  for (llvm::Instruction& instruction : block) {
    if (is_suspension(instruction)) return llvm::cast<llvm::CallInst>(&instruction);
  }
  return nullptr;
}

/// The wait that a block branches around if it is over already, as clang writes a co_await.
llvm::CallInst* wait_after(llvm::BasicBlock& block) {
  for (llvm::BasicBlock* successor : llvm::successors(&block)) {
    if (llvm::CallInst* wait = suspension_in(*successor)) return wait;
  }
  return nullptr;
}

/// Without template arguments, which no SystemVerilog name has.
llvm::StringRef name_of_helper(const llvm::Function& helper) {
  const llvm::StringRef name = helper.getSubprogram()->getName();
  return name == "operator()" ? "call" : name.take_until([](char c) { return c == '<'; });
}

struct Labels {
  std::map<const llvm::BasicBlock*, llvm::StringRef> loops;  ///< by header
  std::map<const llvm::Instruction*, llvm::StringRef> waits;
};

/// "row" for each loop that starts where the label `row:` stands, and for the first wait of any
/// other statement there. A statement that branches before it waits gives no name.
Labels labels_of(llvm::Function& function, const llvm::LoopInfo& loops) {
  Labels labels;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    for (const llvm::DbgRecord& record : instruction.getDbgRecordRange()) {
      const auto* label = llvm::dyn_cast<llvm::DbgLabelRecord>(&record);
      if (!label) continue;
      llvm::BasicBlock* block = instruction.getParent();
      for (int steps = 0; block && steps < 8; ++steps) {
        if (loops.isLoopHeader(block)) {
          labels.loops.try_emplace(block, label->getLabel()->getName());
          break;
        }
        if (const llvm::CallInst* wait = wait_after(*block)) {
          labels.waits[wait] = label->getLabel()->getName();
          break;
        }
        block = block->getUniqueSuccessor();
      }
    }
  }
  return labels;
}

void keep_labels(llvm::Function& function, bool is_helper) {
  llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  const Labels labels = labels_of(function, loops);
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!is_suspension(instruction)) continue;
    llvm::StringRef label = is_helper ? name_of_helper(function) : "";
    for (const llvm::Loop* loop = loops.getLoopFor(instruction.getParent()); loop;
         loop = loop->getParentLoop()) {
      const auto found = labels.loops.find(loop->getHeader());
      if (found == labels.loops.end()) continue;
      label = found->second;
      break;
    }
    const auto own = labels.waits.find(&instruction);
    if (own != labels.waits.end()) label = own->second;
    if (label.empty()) continue;
    llvm::LLVMContext& context = function.getContext();
    instruction.setMetadata(kLabel,
                            llvm::MDNode::get(context, llvm::MDString::get(context, label)));
  }
}

/// The handle that the coroutine returns is for the native run.
void drop_handles(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (!intrinsic || intrinsic->getIntrinsicID() != llvm::Intrinsic::coro_promise) continue;
      intrinsic->replaceAllUsesWith(llvm::Constant::getNullValue(intrinsic->getType()));
      intrinsic->eraseFromParent();
    }
  }
}

/// Whether what this call gives goes to a co_await at once: only its result is stored in between.
bool is_awaited(const llvm::CallInst& call) {
  int stores = 0;
  for (const llvm::Instruction* at = call.getNextNode(); at; at = at->getNextNode()) {
    if (const auto* next = llvm::dyn_cast<llvm::CallInst>(at)) {
      const llvm::Function* callee = next->getCalledFunction();
      return callee && callee->getSubprogram() &&
             callee->getSubprogram()->getName() == "operator co_await";
    }
    stores += llvm::isa<llvm::StoreInst>(at) ? 1 : 0;
    if (stores > 1 || llvm::isa<llvm::LoadInst>(at)) return false;
  }
  return false;
}

/// The coroutines that this one awaits, directly or not, and itself, in `found`.
///
/// Errors   Refusal for one that is called and not awaited: natively it would run beside its
/// caller.
///          Refusal for one that awaits itself
void find_coroutines(llvm::Function& coroutine, std::vector<llvm::Function*>& open,
                     std::set<llvm::Function*>& found) {
  open.push_back(&coroutine);
  for (const llvm::Instruction& instruction : llvm::instructions(coroutine)) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || !callee->isPresplitCoroutine()) continue;
    if (std::find(open.begin(), open.end(), callee) != open.end()) {
      refuse(*call, fmt::format("{} awaits itself, and recursion has no hardware; write a loop",
                                callee->getSubprogram()->getName().str()));
    }
    if (found.count(callee) == 0) find_coroutines(*callee, open, found);
  }
  open.pop_back();
  found.insert(&coroutine);
}

void refuse_called_threads(llvm::Module& program) {
  for (llvm::Function& function : program) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || !callee->isPresplitCoroutine()) continue;
      if (function.isPresplitCoroutine() && is_awaited(*call)) continue;
      const std::string name = name_of_helper(*callee).str();
      const bool is_member = class_of(callee->getSubprogram()) != nullptr;
      refuse(*call, fmt::format("{0} is a thread, which nothing waits for here; write co_await "
                                "{0}(...) in a thread{1}",
                                name,
                                is_member ? ""
                                          : fmt::format(", or make it a Process<&{}> and join the "
                                                        "two by a Channel",
                                                        name)));
    }
  }
}

/// The edges of a memory or pipeline are its parent's.
void refuse_clocked_modules(const llvm::Function& coroutine) {
  for (const llvm::Instruction& instruction : llvm::instructions(coroutine)) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    const llvm::DICompositeType* type = callee ? class_of(callee->getSubprogram()) : nullptr;
    if (!type || !is_type_layer(type->getFilename()) ||
        !callee->getSubprogram()->getName().starts_with("clock")) {
      continue;
    }
    refuse(*call,
           fmt::format("a thread cannot clock a {}; let its parent hold it, take an end as a "
                       "parameter, RamEnd<Word, depth>& or PipelineEnd<&f, stages>& "
                       "(systole/hls/thread_ends.h), and connect() the two",
                       type->getName().take_until([](char c) { return c == '<'; }).str()));
  }
}

void make_one_sequential(llvm::Function& coroutine, bool is_helper) {
  std::vector<llvm::IntrinsicInst*> intrinsics;
  for (llvm::Instruction& instruction : llvm::instructions(coroutine)) {
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
      intrinsics.push_back(intrinsic);
    }
  }
  std::vector<llvm::IntrinsicInst*> tokens;  // last, since others refer to them
  for (llvm::IntrinsicInst* one : intrinsics) {
    switch (one->getIntrinsicID()) {
      case llvm::Intrinsic::coro_await_suspend_void: {
        llvm::IRBuilder<> builder(one);
        auto* wrapper = llvm::cast<llvm::Function>(one->getArgOperand(2)->stripPointerCasts());
        builder.CreateCall(wrapper, {one->getArgOperand(0), one->getArgOperand(1)})
            ->setDebugLoc(one->getDebugLoc());
        one->eraseFromParent();
        break;
      }
      case llvm::Intrinsic::coro_await_suspend_bool:
      case llvm::Intrinsic::coro_await_suspend_handle:
        refuse(*one, "only clock(), pop() and push() can be awaited in hardware");
      case llvm::Intrinsic::coro_suspend:
        lower_suspend(*one, is_helper);
        break;
      case llvm::Intrinsic::coro_id:
      case llvm::Intrinsic::coro_save:
        tokens.push_back(one);
        break;
      case llvm::Intrinsic::coro_alloc:
      case llvm::Intrinsic::coro_begin:
      case llvm::Intrinsic::coro_free:
      case llvm::Intrinsic::coro_end:
      case llvm::Intrinsic::coro_size:
        one->replaceAllUsesWith(llvm::Constant::getNullValue(one->getType()));
        one->eraseFromParent();
        break;
      default:
        break;
    }
  }
  for (llvm::IntrinsicInst* token : tokens) token->eraseFromParent();
  coroutine.removeFnAttr(llvm::Attribute::PresplitCoroutine);
  keep_labels(coroutine, is_helper);
  skip_cleanups(coroutine);
}

}  // namespace

void make_sequential(llvm::Function& coroutine) {
  refuse_called_threads(*coroutine.getParent());
  std::vector<llvm::Function*> open;
  std::set<llvm::Function*> coroutines;
  find_coroutines(coroutine, open, coroutines);
  for (const llvm::Function* one : coroutines) refuse_clocked_modules(*one);
  drop_handles(*coroutine.getParent());
  for (llvm::Function* one : coroutines) make_one_sequential(*one, one != &coroutine);
}

void allow_copies(const llvm::Loop& loop) {
  for (llvm::BasicBlock* block : loop.blocks()) {
    for (llvm::Instruction& instruction : *block) {
      if (!is_suspension(instruction)) continue;
      llvm::cast<llvm::CallInst>(instruction).removeFnAttr(llvm::Attribute::NoDuplicate);
    }
  }
}

void forbid_copies(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!is_suspension(instruction)) continue;
    llvm::cast<llvm::CallInst>(instruction).addFnAttr(llvm::Attribute::NoDuplicate);
  }
}

bool is_suspension(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == kSuspend;
}

bool is_final(const llvm::Instruction& suspension) {
  return llvm::cast<llvm::ConstantInt>(llvm::cast<llvm::CallInst>(suspension).getArgOperand(0))
      ->isOne();
}

llvm::StringRef label_of(const llvm::Instruction& suspension) {
  const llvm::MDNode* node = suspension.getMetadata(kLabel);
  return node ? llvm::cast<llvm::MDString>(node->getOperand(0))->getString() : "";
}

}  // namespace systole::compiler
