#include "hls/compiler/checks/shift_amounts.h"

#include <fmt/format.h>
#include <llvm/Analysis/LazyValueInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

bool is_shift(const llvm::Instruction& instruction) {
  return instruction.isShift() && instruction.getType()->isIntegerTy() &&
         !llvm::isa<llvm::Constant>(instruction.getOperand(1));
}

/// Whether the user wrote the shift, rather than the type layer or C++'s own library.
bool is_users(const llvm::Instruction& instruction) {
  const llvm::DILocation* at = instruction.getDebugLoc().get();
  return at && at->getLine() != 0 && !is_library(at->getFilename());
}

bool has_users_shift(const llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (is_shift(instruction) && is_users(instruction)) return true;
  }
  return false;
}

void check(llvm::Function& function) {
  llvm::FunctionAnalysisManager analyses;
  llvm::PassBuilder().registerFunctionAnalyses(analyses);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto& values = analyses.getResult<llvm::LazyValueAnalysis>(function);
  for (llvm::Instruction& shift : llvm::instructions(function)) {
    if (!is_shift(shift) || !is_users(shift)) continue;
    const unsigned width = shift.getType()->getIntegerBitWidth();
    // From the loops that count it, and the conditions around it.
    const llvm::ConstantRange range =
        evolution.getUnsignedRange(evolution.getSCEV(shift.getOperand(1)))
            .intersectWith(values.getConstantRangeAtUse(shift.getOperandUse(1), false));
    if (range.isEmptySet() || range.getUnsignedMax().ult(width)) continue;
    refuse(shift, fmt::format("this shifts a {0}-bit host integer by an amount that may be {0} or "
                              "more, which C++ leaves undefined; shift a UInt or Int, which is "
                              "defined for every amount, or bound the amount",
                              width));
  }
}

}  // namespace

void check_shift_amounts(llvm::Function& function) {
  if (function.isDeclaration() || !has_users_shift(function)) return;
  llvm::ValueToValueMapTy map;
  llvm::Function* copy = llvm::CloneFunction(&function, map);
  promote_locals(*copy);
  try {
    check(*copy);
  } catch (...) {
    copy->eraseFromParent();
    throw;
  }
  copy->eraseFromParent();
}

}  // namespace systole::compiler
