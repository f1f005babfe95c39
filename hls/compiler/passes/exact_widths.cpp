#include "hls/compiler/passes/exact_widths.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace systole::compiler {

void exact_widths(llvm::Function& function) {
  std::vector<llvm::Instruction*> accesses;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction)) accesses.push_back(&instruction);
  }
  for (llvm::Instruction* access : accesses) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(access)) {
      auto* cut = load->hasOneUse() ? llvm::dyn_cast<llvm::TruncInst>(load->user_back()) : nullptr;
      // Not the program's own cut of a value that fills its memory.
      if (!cut ||
          !(cut->getName().starts_with("loadedv") || cut->getName().starts_with("tobool"))) {
        continue;
      }
      llvm::IRBuilder<> builder(load);
      auto* exact =
          builder.CreateAlignedLoad(cut->getType(), load->getPointerOperand(), load->getAlign());
      exact->takeName(cut);
      cut->replaceAllUsesWith(exact);
      cut->eraseFromParent();
      load->eraseFromParent();
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(access)) {
      auto* extended = llvm::dyn_cast<llvm::CastInst>(store->getValueOperand());
      if (!extended || (extended->getOpcode() != llvm::Instruction::ZExt &&
                        extended->getOpcode() != llvm::Instruction::SExt)) {
        continue;
      }
      if (!extended->getName().starts_with("storedv") &&
          !extended->getName().starts_with("frombool")) {
        continue;
      }
      llvm::IRBuilder<> builder(store);
      builder.CreateAlignedStore(extended->getOperand(0), store->getPointerOperand(),
                                 store->getAlign());
      store->eraseFromParent();
      if (extended->use_empty()) extended->eraseFromParent();
    }
  }
}

}  // namespace systole::compiler
