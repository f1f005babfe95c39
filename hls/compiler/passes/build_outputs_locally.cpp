#include "hls/compiler/passes/build_outputs_locally.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "hls/compiler/analyses/address.h"

namespace systole::compiler {

void build_outputs_locally(llvm::Function& clock, const std::vector<Leaf>& outputs) {
  llvm::Argument* result = clock.getArg(0);
  llvm::IRBuilder<> start(&clock.getEntryBlock().front());
  llvm::AllocaInst* local = start.CreateAlloca(clock.getParamStructRetType(0));
  local->setName("outputs");
  result->replaceAllUsesWith(local);
  for (llvm::BasicBlock& block : clock) {
    auto* end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (!end) continue;
    llvm::IRBuilder<> builder(end);
    for_each_element(outputs, [&](const Leaf& leaf, std::int64_t, std::int64_t offset) {
      const auto at = [&](llvm::Value* base) {
        return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base,
                                                  static_cast<std::uint64_t>(offset));
      };
      llvm::Type* type = builder.getIntNTy(leaf.memory_width());
      builder.CreateStore(builder.CreateLoad(type, at(local)), at(result));
    });
  }
}

}  // namespace systole::compiler
