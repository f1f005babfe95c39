// The pass `systole-lanes`, as a plugin of clang and opt: see README.md.
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/BDCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include "sim/verilator/lanes/independent_lanes.h"
#include "sim/verilator/lanes/uniform_bits.h"

namespace systole::lanes {
namespace {

using namespace llvm;

/// Shorter loops are left to clang, which unrolls them.
constexpr unsigned kFewestLanes = 16;
/// Loops of this many lanes or more get versions.
constexpr unsigned kLanesOfVersions = 128;
/// From this many lanes on, wide vectors take 32 lanes at a time, which suits one-byte values too.
constexpr unsigned kManyLanes = 64;
constexpr unsigned kWideBits = 512;

MDNode* property(LLVMContext& context, StringRef name, Constant* value) {
  return MDNode::get(context, {MDString::get(context, name), ConstantAsMetadata::get(value)});
}

/// Tells the vectoriser by the loop's metadata that accesses of this group are independent, and how
/// many lanes to take at a time.
void mark(BasicBlock* latch, MDNode* accesses, std::optional<unsigned> width) {
  LLVMContext& context = latch->getContext();
  Instruction* branch = latch->getTerminator();
  SmallVector<Metadata*, 8> words{nullptr};
  if (const MDNode* before = branch->getMetadata(LLVMContext::MD_loop)) {
    for (const MDOperand& word : drop_begin(before->operands())) words.push_back(word);
  }
  words.push_back(
      MDNode::get(context, {MDString::get(context, "llvm.loop.parallel_accesses"), accesses}));
  if (width) {
    auto* value = ConstantInt::get(Type::getInt32Ty(context), *width);
    words.push_back(property(context, "llvm.loop.vectorize.width", value));
  }
  MDNode* loop = MDNode::getDistinct(context, words);
  loop->replaceOperandWith(0, loop);
  branch->setMetadata(LLVMContext::MD_loop, loop);
}

struct LanesPass : PassInfoMixin<LanesPass> {
  PreservedAnalyses run(Function& function, FunctionAnalysisManager& analyses) {
    auto& loops = analyses.getResult<LoopAnalysis>(function);
    auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
    auto& target = analyses.getResult<TargetIRAnalysis>(function);
    auto& remarks = analyses.getResult<OptimizationRemarkEmitterAnalysis>(function);
    const bool wide =
        target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector) >= kWideBits;

    // Analyses all loops before it changes the first.
    std::vector<LaneLoop> independent;
    for (Loop* loop : loops.getLoopsInPreorder()) {
      auto lanes = independent_lanes(*loop, evolution);
      if (lanes && lanes->lanes >= kFewestLanes) independent.push_back(std::move(*lanes));
    }
    auto& dominators = analyses.getResult<DominatorTreeAnalysis>(function);
    for (const LaneLoop& lanes : independent) {
      formLCSSA(*lanes.loop, dominators, &loops, &evolution);
    }
    for (const LaneLoop& lanes : independent) {
      remarks.emit([&] {
        return OptimizationRemark("systole-lanes", "IndependentLanes", lanes.loop->getStartLoc(),
                                  lanes.loop->getHeader())
               << "loop over " << ore::NV("Lanes", lanes.lanes) << " independent lanes";
      });
      std::vector<BasicBlock*> latches{lanes.loop->getLoopLatch()};
      MDNode* accesses = MDNode::getDistinct(function.getContext(), {});
      for (BasicBlock* block : lanes.loop->blocks()) {
        for (Instruction& instruction : *block) {
          if (!instruction.mayReadOrWriteMemory()) continue;
          instruction.setMetadata(LLVMContext::MD_access_group, accesses);
        }
      }
      const auto loads =
          lanes.lanes < kLanesOfVersions ? std::vector<LoadInst*>() : uniform_loads(lanes);
      const auto versions = loads.empty() ? std::vector<BasicBlock*>() : version_loop(lanes, loads);
      if (!versions.empty()) {
        latches.insert(latches.end(), versions.begin(), versions.end());
        remarks.emit([&] {
          return OptimizationRemark("systole-lanes", "UniformRegister", lanes.loop->getStartLoc(),
                                    lanes.loop->getHeader())
                 << "versions for a register that is equal in all lanes";
        });
      }
      const bool many = wide && lanes.lanes >= kManyLanes;
      for (BasicBlock* latch : latches) {
        mark(latch, accesses, many ? std::optional<unsigned>(32) : std::nullopt);
      }
    }
    return independent.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
  }
};

}  // namespace
}  // namespace systole::lanes

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "systole-lanes", "1", [](llvm::PassBuilder& builder) {
            builder.registerPipelineStartEPCallback(
                [](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
                  passes.addPass(systole::lanes::NoteUniformRegisters());
                });
            builder.registerVectorizerStartEPCallback(
                [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) {
                  passes.addPass(systole::lanes::LanesPass());
                  // Simplifies each version by its register's known value.
                  passes.addPass(llvm::InstCombinePass());
                  passes.addPass(llvm::EarlyCSEPass(true));
                  passes.addPass(llvm::BDCEPass());
                  passes.addPass(llvm::InstCombinePass());
                  passes.addPass(llvm::SimplifyCFGPass());
                });
            builder.registerPipelineParsingCallback(
                [](llvm::StringRef name, llvm::FunctionPassManager& passes,
                   llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
                  if (name != "systole-lanes") return false;
                  passes.addPass(systole::lanes::LanesPass());
                  return true;
                });
          }};
}
