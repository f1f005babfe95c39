#include "hls/compiler/passes/name_results.h"

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <string>

#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

llvm::DIType* returned_type(const llvm::DISubprogram& subprogram) {
  const auto types = subprogram.getType()->getTypeArray();
  return types.size() > 0 ? types[0] : nullptr;
}

void name_result(llvm::Function& function, llvm::DIBuilder& builder) {
  llvm::DISubprogram* subprogram = function.getSubprogram();
  if (!subprogram) return;
  if (is_library(subprogram->getFilename()) && !is_accessor(*subprogram)) return;
  const std::string name = result_name(subprogram->getName());
  llvm::DIType* type = returned_type(*subprogram);
  if (name.empty() || !type) return;
  llvm::DILocalVariable* variable = builder.createAutoVariable(
      subprogram, name, subprogram->getFile(), subprogram->getLine(), type);
  const auto* at =
      llvm::DILocation::get(function.getContext(), subprogram->getLine(), 0, subprogram);
  llvm::Instruction* first = &*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
  if (function.hasStructRetAttr()) {
    builder.insertDeclare(function.getArg(0), variable, builder.createExpression(), at, first);
    return;
  }
  for (llvm::Instruction& instruction : function.getEntryBlock()) {
    auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (local && local->getName() == "retval") {
      builder.insertDeclare(local, variable, builder.createExpression(), at, first);
      return;
    }
  }
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* end = llvm::dyn_cast<llvm::ReturnInst>(&instruction);
    if (end && end->getReturnValue() && end->getReturnValue()->getType()->isIntegerTy() &&
        !llvm::isa<llvm::Constant>(end->getReturnValue())) {
      builder.insertDbgValueIntrinsic(end->getReturnValue(), variable, builder.createExpression(),
                                      at, end);
    }
  }
}

}  // namespace

void name_results(llvm::Module& program) {
  llvm::DIBuilder builder(program, /*AllowUnresolved=*/false);
  for (llvm::Function& function : program) {
    if (!function.isDeclaration()) name_result(function, builder);
  }
}

void keep_names(llvm::Function& function) {
  llvm::Instruction* end = nullptr;
  for (llvm::BasicBlock& block : function) {
    if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) end = block.getTerminator();
  }
  if (!end) return;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (&instruction == end) continue;
    for (llvm::DbgRecord& record : llvm::make_early_inc_range(instruction.getDbgRecordRange())) {
      auto* variable = llvm::dyn_cast<llvm::DbgVariableRecord>(&record);
      if (!variable || !variable->isDbgValue()) continue;
      variable->removeFromParent();
      end->getParent()->insertDbgRecordBefore(variable, end->getIterator());
    }
  }
}

}  // namespace systole::compiler
