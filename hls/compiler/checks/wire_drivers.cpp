#include "hls/compiler/checks/wire_drivers.h"

#include <fmt/format.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <map>
#include <utility>
#include <vector>

#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

struct Kind {
  const char* function;
  const char* message;
};
constexpr Kind kKinds[] = {
    {"hls.channel_pop",
     "this channel is popped twice in one clock: the later ready wins, and beats are lost; give "
     "each reader a channel of its own"},
    {"hls.channel_push",
     "this channel is pushed to twice in one clock: the later beat wins, and the other is lost; "
     "give each writer a channel of its own, and merge them in a thread"},
    {"hls.drive_wire",
     "two threads drive this wire: the later one wins; give each a wire of its own"},
};

}  // namespace

void declare_drivers(llvm::Module& program) {
  for (const Kind& kind : kKinds) {
    llvm::Function* function = program.getFunction(kind.function);
    if (!function) continue;
    function->setDoesNotThrow();
    function->setWillReturn();
    function->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
    function->addParamAttr(0, llvm::Attribute::NoCapture);
  }
}

void check_drivers(llvm::Function& clock) {
  const llvm::DataLayout& layout = clock.getParent()->getDataLayout();
  for (const Kind& kind : kKinds) {
    llvm::Function* function = clock.getParent()->getFunction(kind.function);
    if (!function) continue;
    std::vector<llvm::CallInst*> calls;
    std::map<std::pair<const llvm::Value*, std::int64_t>, std::vector<llvm::CallInst*>> places;
    for (llvm::Instruction& instruction : llvm::instructions(clock)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (!call || call->getCalledFunction() != function) continue;
      calls.push_back(call);
      llvm::Value* pointer = call->getArgOperand(0);
      llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
      const llvm::Value* base = pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
      places[{base, offset.getSExtValue()}].push_back(call);
    }
    for (const auto& [place, drivers] : places) {
      for (const llvm::CallInst* first : drivers) {
        for (const llvm::CallInst* second : drivers) {
          if (first != second && llvm::isPotentiallyReachable(first, second)) {
            refuse(*second, kind.message);
          }
        }
      }
    }
    for (llvm::CallInst* call : calls) call->eraseFromParent();
  }
}

}  // namespace systole::compiler
