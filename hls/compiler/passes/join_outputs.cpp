#include "hls/compiler/passes/join_outputs.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

void check_only_reads(const llvm::Function& outputs) {
  for (const llvm::Instruction& instruction : llvm::instructions(outputs)) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (store && llvm::getUnderlyingObject(store->getPointerOperand(), 0) == outputs.getArg(1)) {
      refuse(*store, "outputs() writes a register; write registers in clock()");
    }
  }
}

}  // namespace

void join_outputs(LoweredModule& module) {
  if (!module.outputs_method) return;
  llvm::Function& clock = *module.clock;
  llvm::Function& outputs = *module.outputs_method;
  tidy(outputs);
  check_only_reads(outputs);
  llvm::Type* pointer = outputs.getArg(0)->getType();
  auto* type = llvm::FunctionType::get(clock.getReturnType(), {pointer, pointer, pointer}, false);
  auto* joined = llvm::Function::Create(type, clock.getLinkage(), "", clock.getParent());
  joined->takeName(&clock);
  joined->splice(joined->begin(), &clock);
  joined->addParamAttr(0, outputs.getParamAttribute(0, llvm::Attribute::StructRet));
  for (unsigned i = 0; i < 2; ++i) {
    clock.getArg(i)->replaceAllUsesWith(joined->getArg(i + 1));
    joined->getArg(i + 1)->takeName(clock.getArg(i));
  }
  llvm::DISubprogram* subprogram = clock.getSubprogram();
  clock.setSubprogram(nullptr);
  joined->setSubprogram(subprogram);
  // After the locals: where outputs() has branches, locals in a later block could not be values.
  llvm::IRBuilder<> builder(&*joined->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  llvm::CallInst* call = builder.CreateCall(&outputs, {joined->getArg(0), joined->getArg(1)});
  call->setDebugLoc(llvm::DILocation::get(joined->getContext(), 0, 0, subprogram));
  llvm::InlineFunctionInfo info;
  if (!llvm::InlineFunction(*call, info).isSuccess()) {
    refuse(*call, "outputs() cannot be inlined");
  }
  module.clock = joined;
  module.outputs_method = nullptr;
}

}  // namespace systole::compiler
