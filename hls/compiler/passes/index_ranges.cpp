#include "hls/compiler/passes/index_ranges.h"

#include <fmt/format.h>
#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Passes/PassBuilder.h>

#include "hls/compiler/passes/lower_module.h"
#include "hls/compiler/passes/operations.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {

void check_index_ranges(llvm::Function& function, const LoweredModule& module) {
  llvm::FunctionAnalysisManager analyses;
  llvm::PassBuilder().registerFunctionAnalyses(analyses);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto& values = analyses.getResult<llvm::LazyValueAnalysis>(function);
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!is_operation(instruction, Operation::kLoad) &&
        !is_operation(instruction, Operation::kStore) &&
        !is_operation(instruction, Operation::kPipelineOutput) &&
        !is_operation(instruction, Operation::kPipelineClock)) {
      continue;
    }
    const auto& call = llvm::cast<llvm::CallInst>(instruction);
    const Leaf& leaf = module.state[static_cast<std::size_t>(constant_argument(call, 0))];
    llvm::Value* index = call.getArgOperand(1);
    // By the loops it counts with, and by the conditions it stands under.
    const llvm::ConstantRange range =
        evolution.getUnsignedRange(evolution.getSCEV(index))
            .intersectWith(values.getConstantRange(index, &instruction, false));
    if (range.isEmptySet() || range.getUnsignedMax().ult(leaf.elements())) continue;
    refuse(instruction, fmt::format("this index may fall outside of '{}', which has {} elements; "
                                    "size the array by the width of its index, or guard the access",
                                    leaf.name, leaf.elements()));
  }
}

}  // namespace systole::compiler
