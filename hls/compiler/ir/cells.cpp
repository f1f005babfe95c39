#include "hls/compiler/ir/cells.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <vector>

namespace systole::compiler {

using llvm::dyn_cast;

void Cells::replace(llvm::CallInst& call, bool is_read, Operation read, Operation write) {
  const auto key = std::tuple(write, constant_argument(call, 0), constant_argument(call, 1));
  llvm::Type* type = is_read ? call.getType() : call.getArgOperand(2)->getType();
  auto [found, added] = cells_.try_emplace(key);
  Cell& cell = found->second;
  if (added) {
    llvm::IRBuilder<> builder(&*function_.getEntryBlock().getFirstInsertionPt());
    cell.memory = builder.CreateAlloca(type);
    cell.type = type;
    cell.leaf = llvm::cast<llvm::Constant>(call.getArgOperand(0));
    cell.element = llvm::cast<llvm::Constant>(call.getArgOperand(1));
    if (read != write) {
      llvm::Value* before = emit_operation(builder, read, type, {cell.leaf, cell.element});
      builder.CreateStore(before, cell.memory);
    }
  }
  llvm::IRBuilder<> builder(&call);
  if (is_read) {
    auto* load = builder.CreateLoad(type, cell.memory);
    load->takeName(&call);
    call.replaceAllUsesWith(load);
  } else {
    builder.CreateStore(call.getArgOperand(2), cell.memory);
    cell.written = true;
    cell.position = call.getDebugLoc();
  }
  call.eraseFromParent();
}

void Cells::finish() {
  for (llvm::BasicBlock& block : function_) {
    auto* end = dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (!end) continue;
    llvm::IRBuilder<> builder(end);
    for (auto& [key, cell] : cells_) {
      if (!cell.written) continue;
      emit_operation(builder, std::get<0>(key), nullptr,
                     {cell.leaf, cell.element, builder.CreateLoad(cell.type, cell.memory)})
          ->setDebugLoc(cell.position);
    }
  }
  std::vector<llvm::AllocaInst*> allocas;
  for (auto& [key, cell] : cells_) allocas.push_back(cell.memory);
  llvm::DominatorTree dominators(function_);
  if (!allocas.empty()) llvm::PromoteMemToReg(allocas, dominators);
}

}  // namespace systole::compiler
