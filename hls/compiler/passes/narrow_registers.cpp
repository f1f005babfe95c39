#include "hls/compiler/passes/narrow_registers.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/DemandedBits.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/KnownBits.h>

#include <algorithm>
#include <map>

#include "hls/compiler/ir/lowered_thread.h"
#include "hls/compiler/ir/operations.h"

namespace systole::compiler {
namespace {

using Calls = std::vector<llvm::CallInst*>;

std::map<int, Calls> calls_by_register(const std::vector<llvm::Function*>& edges,
                                       Operation operation) {
  std::map<int, Calls> calls;
  for (llvm::Function* edge : edges) {
    for (llvm::Instruction& instruction : llvm::instructions(*edge)) {
      if (is_operation(instruction, operation)) {
        calls[leaf_of(instruction)].push_back(llvm::cast<llvm::CallInst>(&instruction));
      }
    }
  }
  return calls;
}

/// The bits of each register that any state uses.
std::map<int, llvm::APInt> used_bits(const std::vector<llvm::Function*>& edges) {
  std::map<int, llvm::APInt> used;
  for (llvm::Function* edge : edges) {
    llvm::DominatorTree dominators(*edge);
    llvm::AssumptionCache assumptions(*edge);
    llvm::DemandedBits demanded(*edge, assumptions, dominators);
    for (llvm::Instruction& instruction : llvm::instructions(*edge)) {
      if (!is_operation(instruction, Operation::kReadRegister)) continue;
      const llvm::APInt bits = demanded.getDemandedBits(&instruction);
      const auto [found, added] = used.try_emplace(leaf_of(instruction), bits);
      if (!added) found->second |= bits;
    }
  }
  return used;
}

/// The least width above which every store keeps zeros: assumes that the register's value is that
/// narrow, and checks that every stored value then is, too.
unsigned width_that_holds(unsigned whole, const Calls& reads, const Calls& writes) {
  for (unsigned width = 1; width < whole; ++width) {
    std::vector<llvm::Instruction*> assumed;
    for (llvm::CallInst* read : reads) {
      llvm::IRBuilder<> builder(read->getNextNode());
      auto* part =
          llvm::cast<llvm::Instruction>(builder.CreateTrunc(read, builder.getIntNTy(width)));
      auto* again = llvm::cast<llvm::Instruction>(builder.CreateZExt(part, read->getType()));
      read->replaceUsesWithIf(again, [&](const llvm::Use& use) { return use.getUser() != part; });
      assumed.push_back(again);
    }
    bool holds = true;
    for (const llvm::CallInst* write : writes) {
      const llvm::DataLayout& layout = write->getModule()->getDataLayout();
      const llvm::KnownBits known = llvm::computeKnownBits(write->getArgOperand(2), layout);
      holds = holds && known.countMinLeadingZeros() >= whole - width;
    }
    for (std::size_t i = 0; i < reads.size(); ++i) {
      auto* part = llvm::cast<llvm::Instruction>(assumed[i]->getOperand(0));
      assumed[i]->replaceAllUsesWith(reads[i]);
      assumed[i]->eraseFromParent();
      part->eraseFromParent();
    }
    if (holds) return width;
  }
  return whole;
}

/// Bits [low + width - 1 : low] are kept; the others are never used, or always zero.
void keep_bits(unsigned low, unsigned width, unsigned whole, const Calls& reads,
               const Calls& writes) {
  for (llvm::CallInst* read : reads) {
    llvm::IRBuilder<> builder(read);
    llvm::CallInst* part =
        emit_operation(builder, Operation::kReadRegister, builder.getIntNTy(width),
                       {read->getArgOperand(0), read->getArgOperand(1)});
    llvm::Value* value = builder.CreateShl(builder.CreateZExt(part, builder.getIntNTy(whole)), low);
    read->replaceAllUsesWith(value);
    read->eraseFromParent();
  }
  for (llvm::CallInst* write : writes) {
    llvm::IRBuilder<> builder(write);
    llvm::Value* part = builder.CreateTrunc(builder.CreateLShr(write->getArgOperand(2), low),
                                            builder.getIntNTy(width));
    emit_operation(builder, Operation::kStore, nullptr,
                   {write->getArgOperand(0), write->getArgOperand(1), part})
        ->setDebugLoc(write->getDebugLoc());
    write->eraseFromParent();
  }
}

}  // namespace

void narrow_registers(LoweredThread& thread) {
  const std::vector<llvm::Function*> edges = thread.edges();
  std::map<int, Calls> reads = calls_by_register(edges, Operation::kReadRegister);
  std::map<int, Calls> writes = calls_by_register(edges, Operation::kStore);
  const std::map<int, llvm::APInt> used = used_bits(edges);
  for (int leaf = static_cast<int>(thread.ports.registers.size()); leaf < thread.state_register();
       ++leaf) {
    const auto bits = used.find(leaf);
    if (bits == used.end() || bits->second.isZero()) continue;
    const unsigned whole = thread.registers[leaf].width;
    const unsigned low = bits->second.countr_zero();
    const unsigned end =
        std::min(bits->second.getActiveBits(), width_that_holds(whole, reads[leaf], writes[leaf]));
    if (end <= low || end - low == whole) continue;
    thread.registers[leaf].width = end - low;
    keep_bits(low, end - low, whole, reads[leaf], writes[leaf]);
  }
}

}  // namespace systole::compiler
