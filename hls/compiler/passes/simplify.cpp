#include "hls/compiler/passes/simplify.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/AggressiveInstCombine/AggressiveInstCombine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/BDCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopRotation.h>
#include <llvm/Transforms/Scalar/LoopUnrollPass.h>
#include <llvm/Transforms/Scalar/NewGVN.h>
#include <llvm/Transforms/Scalar/Reassociate.h>
#include <llvm/Transforms/Scalar/SCCP.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LowerSwitch.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>
#include <vector>

#include "hls/compiler/passes/fold_merged_branches.h"
#include "hls/compiler/passes/select_joins.h"
#include "hls/compiler/passes/settle_counters.h"
#include "hls/compiler/support/pass_trace.h"

namespace systole::compiler {
namespace {

/// One set of analyses and the passes to run over one function or module.
class Runner {
 public:
  Runner() {
    builder_.registerModuleAnalyses(modules_);
    builder_.registerCGSCCAnalyses(components_);
    builder_.registerFunctionAnalyses(functions_);
    builder_.registerLoopAnalyses(loops_);
    builder_.crossRegisterProxies(loops_, functions_, components_, modules_);
  }
  void run(llvm::FunctionPassManager& passes, llvm::Function& function) {
    passes.run(function, functions_);
  }
  void run(llvm::ModulePassManager& passes, llvm::Module& module) { passes.run(module, modules_); }

 private:
  llvm::PassBuilder builder_;
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
};

llvm::SimplifyCFGOptions keep_loops() {
  return llvm::SimplifyCFGOptions().needCanonicalLoops(true).convertSwitchRangeToICmp(true);
}

/// A local integer that is written and read in pieces: clang hands a UInt<100> to a function in two
/// registers. It becomes one wide integer, and each access some of its bits.
class AssembledLocal {
 public:
  explicit AssembledLocal(llvm::AllocaInst& local)
      : local_(local), layout_(local.getModule()->getDataLayout()) {}

  bool is_integer() {
    const auto size = local_.getAllocationSize(layout_);
    if (!size || size->isScalable() || size->getFixedValue() > kMostBytes) return false;
    bytes_ = size->getFixedValue();
    return bytes_ > 0 && collect(local_, 0);
  }

  /// Call once, after is_integer() said yes; returns what to promote.
  llvm::AllocaInst* assemble() {
    accesses_.clear();
    steps_.clear();
    is_integer();
    llvm::IRBuilder<> start(&local_);
    whole_ = start.getIntNTy(static_cast<unsigned>(8 * bytes_));
    auto* memory = start.CreateAlloca(whole_);
    memory->takeName(&local_);
    start.SetInsertPoint(local_.getNextNode());
    start.CreateStore(llvm::ConstantInt::get(whole_, 0), memory);
    for (const auto& [access, byte] : accesses_) replace(*access, byte, *memory);
    for (auto at = steps_.rbegin(); at != steps_.rend(); ++at) (*at)->eraseFromParent();
    local_.eraseFromParent();
    return memory;
  }

 private:
  static constexpr std::uint64_t kMostBytes = 32;

  bool collect(llvm::Instruction& pointer, std::int64_t byte) {
    for (llvm::User* user : pointer.users()) {
      if (auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
        llvm::APInt offset(layout_.getIndexTypeSizeInBits(step->getType()), 0);
        if (!step->accumulateConstantOffset(layout_, offset)) return false;
        steps_.push_back(step);
        if (!collect(*step, byte + offset.getSExtValue())) return false;
        continue;
      }
      llvm::Type* type = nullptr;
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
        if (!load->isVolatile()) type = load->getType();
      } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
        if (store->getPointerOperand() == &pointer && !store->isVolatile()) {
          type = store->getValueOperand()->getType();
        }
      }
      if (!type || !type->isIntegerTy() || byte < 0 ||
          static_cast<std::uint64_t>(byte) + layout_.getTypeStoreSize(type) > bytes_) {
        return false;
      }
      accesses_.emplace_back(llvm::cast<llvm::Instruction>(user), byte);
    }
    return true;
  }

  void replace(llvm::Instruction& access, std::int64_t byte, llvm::AllocaInst& memory) const {
    llvm::IRBuilder<> builder(&access);
    llvm::Value* whole = builder.CreateLoad(whole_, &memory);
    const auto shift = static_cast<std::uint64_t>(8 * byte);
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&access)) {
      llvm::Value* part = builder.CreateTrunc(builder.CreateLShr(whole, shift), load->getType());
      part->takeName(load);
      load->replaceAllUsesWith(part);
    } else {
      llvm::Value* value = llvm::cast<llvm::StoreInst>(access).getValueOperand();
      const auto bits = static_cast<unsigned>(8 * layout_.getTypeStoreSize(value->getType()));
      const unsigned low = static_cast<unsigned>(shift);
      const llvm::APInt mask =
          llvm::APInt::getBitsSet(whole_->getIntegerBitWidth(), low, low + bits);
      llvm::Value* kept = builder.CreateAnd(whole, llvm::ConstantInt::get(whole_, ~mask));
      llvm::Value* moved = builder.CreateShl(builder.CreateZExt(value, whole_), shift);
      builder.CreateStore(builder.CreateOr(kept, moved), &memory);
    }
    access.eraseFromParent();
  }

  llvm::AllocaInst& local_;
  const llvm::DataLayout& layout_;
  std::uint64_t bytes_ = 0;
  llvm::IntegerType* whole_ = nullptr;
  std::vector<std::pair<llvm::Instruction*, std::int64_t>> accesses_;
  std::vector<llvm::GetElementPtrInst*> steps_;
};

/// Local variables as values. clang keeps a UInt<1> in an i8 and hands a UInt<35> over in an i64;
/// here each variable takes the widest of the types it is accessed with, so that it can be SSA.
struct PromoteLocals : llvm::PassInfoMixin<PromoteLocals> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    std::vector<llvm::AllocaInst*> promotable;
    std::vector<llvm::AllocaInst*> pieces;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
      if (!local) continue;
      if (is_scalar(*local)) {
        promotable.push_back(local);
      } else if (AssembledLocal(*local).is_integer()) {
        pieces.push_back(local);
      }
    }
    if (promotable.empty() && pieces.empty()) return llvm::PreservedAnalyses::all();
    for (llvm::AllocaInst* local : promotable) widen(*local);
    for (llvm::AllocaInst* local : pieces) promotable.push_back(AssembledLocal(*local).assemble());
    llvm::DominatorTree dominators(function);
    llvm::PromoteMemToReg(promotable, dominators);
    return llvm::PreservedAnalyses::none();
  }

 private:
  static llvm::Type* access_type(const llvm::User& user, const llvm::AllocaInst& local) {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&user)) return load->getType();
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&user);
    if (!store || store->getPointerOperand() != &local) return nullptr;
    return store->getValueOperand()->getType();
  }

  /// Loads and stores of whole integers only: no store writes just some of the bytes read.
  static bool is_scalar(const llvm::AllocaInst& local) {
    const llvm::DataLayout& layout = local.getModule()->getDataLayout();
    std::uint64_t written = ~0ull;
    std::uint64_t read = 0;
    llvm::Type* first = nullptr;
    bool same = true;
    for (const llvm::User* user : local.users()) {
      llvm::Type* type = access_type(*user, local);
      if (!type) return false;
      same = same && (!first || first == type);
      first = type;
      if (!type->isIntegerTy()) continue;
      const std::uint64_t bytes = layout.getTypeStoreSize(type);
      if (llvm::isa<llvm::LoadInst>(user)) {
        read = std::max(read, bytes);
      } else {
        written = std::min(written, bytes);
      }
    }
    if (same) return first != nullptr;
    for (const llvm::User* user : local.users()) {
      if (!access_type(*user, local)->isIntegerTy()) return false;
    }
    return read <= written;
  }

  static void widen(llvm::AllocaInst& local) {
    llvm::Type* widest = nullptr;
    bool mixed = false;
    for (const llvm::User* user : local.users()) {
      llvm::Type* type = access_type(*user, local);
      mixed = mixed || (widest && widest != type);
      if (!widest ||
          (type->isIntegerTy() && type->getIntegerBitWidth() > widest->getIntegerBitWidth())) {
        widest = type;
      }
    }
    local.setAllocatedType(widest);
    if (!mixed) return;
    std::vector<llvm::Instruction*> accesses;
    for (llvm::User* user : local.users()) accesses.push_back(llvm::cast<llvm::Instruction>(user));
    for (llvm::Instruction* access : accesses) {
      llvm::IRBuilder<> builder(access);
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(access)) {
        llvm::Value* whole = builder.CreateLoad(widest, &local);
        llvm::Value* part = builder.CreateTrunc(whole, load->getType());
        part->takeName(load);
        load->replaceAllUsesWith(part);
      } else {
        auto* store = llvm::cast<llvm::StoreInst>(access);
        builder.CreateStore(builder.CreateZExt(store->getValueOperand(), widest), &local);
      }
      access->eraseFromParent();
    }
  }
};

/// `condition ? a : b` of two registers is a load through a chosen pointer; here it becomes a
/// choice of two loads, which is a multiplexer. Reading a register has no effect, so both are read.
struct SplitChosenLoads : llvm::PassInfoMixin<SplitChosenLoads> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    bool changed = false;
    std::vector<llvm::LoadInst*> loads;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) loads.push_back(load);
    }
    while (!loads.empty()) {
      llvm::LoadInst* load = loads.back();
      loads.pop_back();
      llvm::Value* pointer = load->getPointerOperand();
      if (auto* choice = llvm::dyn_cast<llvm::SelectInst>(pointer)) {
        llvm::IRBuilder<> builder(load);
        auto* first = builder.CreateLoad(load->getType(), choice->getTrueValue());
        auto* second = builder.CreateLoad(load->getType(), choice->getFalseValue());
        replace(*load, builder.CreateSelect(choice->getCondition(), first, second));
        loads.insert(loads.end(), {first, second});
        changed = true;
      } else if (auto* phi = llvm::dyn_cast<llvm::PHINode>(pointer);
                 phi && phi->getNumIncomingValues() > 1 && joins_before(*phi, *load)) {
        llvm::IRBuilder<> builder(phi);
        llvm::PHINode* values = builder.CreatePHI(load->getType(), phi->getNumIncomingValues());
        for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
          builder.SetInsertPoint(phi->getIncomingBlock(i)->getTerminator());
          auto* value = builder.CreateLoad(load->getType(), phi->getIncomingValue(i));
          values->addIncoming(value, phi->getIncomingBlock(i));
          loads.push_back(value);
        }
        replace(*load, values);
        changed = true;
      }
    }
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }

 private:
  /// Nothing is written on any way from the join of the pointers to the load, and the join is no
  /// loop's.
  static bool joins_before(const llvm::PHINode& phi, const llvm::LoadInst& load) {
    const llvm::BasicBlock* join = phi.getParent();
    for (const llvm::BasicBlock* from : phi.blocks()) {
      if (from == join) return false;
    }
    const auto writes = [](const llvm::Instruction& one) { return one.mayWriteToMemory(); };
    const llvm::BasicBlock* last = load.getParent();
    if (last == join) return std::none_of(phi.getIterator(), load.getIterator(), writes);
    if (std::any_of(last->begin(), load.getIterator(), writes) ||
        std::any_of(phi.getIterator(), join->end(), writes)) {
      return false;
    }
    // The join dominates the load, so that going up from there always ends at it.
    llvm::SetVector<const llvm::BasicBlock*> between(llvm::pred_begin(last), llvm::pred_end(last));
    for (std::size_t i = 0; i < between.size(); ++i) {
      if (between[i] == join) continue;
      if (std::any_of(between[i]->begin(), between[i]->end(), writes)) return false;
      between.insert(llvm::pred_begin(between[i]), llvm::pred_end(between[i]));
    }
    return true;
  }
  static void replace(llvm::LoadInst& load, llvm::Value* value) {
    if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(value)) {
      instruction->setDebugLoc(load.getDebugLoc());
    }
    value->takeName(&load);
    load.replaceAllUsesWith(value);
    load.eraseFromParent();
  }
};

/// What the inliner and clang tell the optimiser about memory has no meaning for values.
struct DropHints : llvm::PassInfoMixin<DropHints> {
  static llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
    std::vector<llvm::Instruction*> hints;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (!intrinsic) continue;
      const auto id = intrinsic->getIntrinsicID();
      const bool expects =
          id == llvm::Intrinsic::expect || id == llvm::Intrinsic::expect_with_probability;
      if (expects) instruction.replaceAllUsesWith(instruction.getOperand(0));
      if (expects || id == llvm::Intrinsic::experimental_noalias_scope_decl ||
          id == llvm::Intrinsic::assume || intrinsic->isLifetimeStartOrEnd()) {
        hints.push_back(&instruction);
      }
    }
    for (llvm::Instruction* hint : hints) hint->eraseFromParent();
    return hints.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
  }
};

void add_loop_shape(llvm::FunctionPassManager& passes) {
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(llvm::LCSSAPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass(true, false)));
}

}  // namespace

void inline_marked(llvm::Module& module) {
  Runner runner;
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/false));
  runner.run(passes, module);
}

void tidy(llvm::Function& function) {
  Runner runner;
  llvm::FunctionPassManager passes;
  passes.addPass(DropHints());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(PromoteLocals());
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::SCCPPass());
  passes.addPass(SplitChosenLoads());
  passes.addPass(llvm::SimplifyCFGPass(keep_loops()));
  passes.addPass(SplitChosenLoads());
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(PromoteLocals());
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::ADCEPass());
  add_loop_shape(passes);
  runner.run(passes, function);
}

void promote_locals(llvm::Function& function) {
  Runner runner;
  llvm::FunctionPassManager passes;
  passes.addPass(DropHints());
  passes.addPass(
      PromoteLocals());  // first, because SROA takes a counter apart that is read in part
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(PromoteLocals());
  passes.addPass(llvm::EarlyCSEPass(true));
  add_loop_shape(passes);
  runner.run(passes, function);
}

void unroll_marked(llvm::Function& function) {
  Runner runner;
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::LoopUnrollPass(llvm::LoopUnrollOptions(
      /*OptLevel=*/2, /*OnlyWhenForced=*/true, /*ForgetSCEV=*/true)));
  runner.run(passes, function);
}

void combine(llvm::Function& function) {
  Runner runner;
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(keep_loops()));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::SCCPPass());
  passes.addPass(llvm::InstCombinePass());
  add_loop_shape(passes);
  runner.run(passes, function);
}

void simplify(llvm::Function& function) {
  Runner runner;
  llvm::FunctionPassManager passes;
  for (int round = 0; round < 2; ++round) {
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass(keep_loops()));
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::AggressiveInstCombinePass());
    passes.addPass(llvm::SCCPPass());
    passes.addPass(llvm::BDCEPass());
    passes.addPass(llvm::ADCEPass());
  }
  add_loop_shape(passes);
  // Only here, where no pointer is left: it would rewrite typed addresses as byte offsets.
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::IndVarSimplifyPass()));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(keep_loops()));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::ADCEPass());
  runner.run(passes, function);
  // Last, because LLVM makes a switch of a chain of tests.
  lower_switches(function);
  select_joins(function);
  after_pass("select_joins", function);
  Runner again;
  llvm::FunctionPassManager finish;
  finish.addPass(llvm::InstCombinePass());
  finish.addPass(llvm::SimplifyCFGPass(keep_loops()));
  finish.addPass(llvm::EarlyCSEPass(true));
  finish.addPass(FoldMergedBranches());
  finish.addPass(llvm::ADCEPass());
  finish.addPass(SettleCounters());
  finish.addPass(llvm::LowerSwitchPass());
  again.run(finish, function);
  select_joins(function);
}

void lower_switches(llvm::Function& function) {
  Runner runner;
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::LowerSwitchPass());
  runner.run(passes, function);
}

void clean_up(llvm::Function& function) {
  Runner runner;
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::InstSimplifyPass());
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::ADCEPass());
  runner.run(passes, function);
}

void configure_llvm() {
  const std::vector<const char*> words = {"hlsc",
                                          "-two-entry-phi-node-folding-threshold=1000000",
                                          "-phi-node-folding-threshold=1000000",
                                          "-speculate-one-expensive-inst=true",
                                          "-max-speculation-depth=1000",
                                          "-pragma-unroll-threshold=100000000",
                                          "-unroll-max-upperbound=100000",
                                          "-instcombine-max-iterations=10"};
  llvm::cl::ParseCommandLineOptions(static_cast<int>(words.size()), words.data(), "",
                                    &llvm::nulls());
}

}  // namespace systole::compiler
