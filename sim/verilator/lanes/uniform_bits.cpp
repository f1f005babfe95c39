#include "sim/verilator/lanes/uniform_bits.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <set>
#include <string>

namespace systole::lanes {
namespace {

using namespace llvm;

cl::list<std::string> names("uniform-registers", cl::CommaSeparated,
                            cl::desc("registers that mostly hold one bit in all lanes"));
constexpr const char* kNote = "systole.uniform";

/// Whether a member is NAME_q or ends in _NAME_q; clang appends a number to repeated names.
bool is_register(StringRef member, StringRef name) {
  member = member.rtrim("0123456789");
  return member.consume_back("_q") && member.consume_back(name) &&
         (member.empty() || member.back() == '_');
}

/// A copy of the loop with `value` for the loads; it exits where the loop does.
BasicBlock* copy_loop(Loop& loop, const std::vector<LoadInst*>& loads, std::uint64_t value,
                      const Twine& suffix, std::vector<BasicBlock*>& latches) {
  BasicBlock* preheader = loop.getLoopPreheader();
  Function& function = *preheader->getParent();
  ValueToValueMapTy copies;
  SmallVector<BasicBlock*, 8> blocks;
  BasicBlock* entry = BasicBlock::Create(
      function.getContext(), loop.getHeader()->getName() + suffix, &function, loop.getHeader());
  copies[preheader] = entry;
  for (BasicBlock* block : loop.blocks()) {
    BasicBlock* copy = CloneBasicBlock(block, copies, suffix, &function);
    copies[block] = copy;
    blocks.push_back(copy);
  }
  remapInstructionsInBlocks(blocks, copies);
  for (PHINode& phi : loop.getExitBlock()->phis()) {
    for (BasicBlock* block : loop.blocks()) {
      if (phi.getBasicBlockIndex(block) < 0) continue;
      Value* leaving = phi.getIncomingValueForBlock(block);
      Value* copy = copies.lookup(leaving);
      phi.addIncoming(copy != nullptr ? copy : leaving, cast<BasicBlock>(copies[block]));
    }
  }
  BranchInst::Create(cast<BasicBlock>(copies[loop.getHeader()]), entry);
  for (LoadInst* load : loads) {
    auto* copy = cast<Instruction>(copies[load]);
    copy->replaceAllUsesWith(ConstantInt::get(copy->getType(), value));
    copy->eraseFromParent();
  }
  latches.push_back(cast<BasicBlock>(copies[loop.getLoopLatch()]));
  return entry;
}

/// Whether the loop certainly reads every lane's byte, so that they may be read before it.
bool in_every_lane(Loop& loop, const std::vector<LoadInst*>& loads) {
  return loop.getExitingBlock() != nullptr && loop.getExitBlock() != nullptr &&
         any_of(loads, [&](LoadInst* load) {
           return load->getParent() == loop.getHeader() || load->getParent() == loop.getLoopLatch();
         });
}

}  // namespace

PreservedAnalyses NoteUniformRegisters::run(Module& module, ModuleAnalysisManager&) {
  LLVMContext& context = module.getContext();
  NamedMDNode* note = module.getOrInsertNamedMetadata(kNote);
  for (const std::string& name : names) {
    std::set<std::int64_t> places;
    for (Function& function : module) {
      for (Instruction& instruction : instructions(function)) {
        auto* member = dyn_cast<GetElementPtrInst>(&instruction);
        if (member == nullptr || !is_register(member->getName(), name)) continue;
        APInt place(64, 0);
        member->stripAndAccumulateConstantOffsets(module.getDataLayout(), place, true);
        places.insert(place.getSExtValue());
      }
    }
    SmallVector<Metadata*, 16> list;
    for (const std::int64_t place : places) {
      list.push_back(ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(context), place)));
    }
    note->addOperand(MDNode::get(context, list));
  }
  return PreservedAnalyses::all();
}

std::vector<LoadInst*> uniform_loads(const LaneLoop& lanes) {
  const NamedMDNode* note = lanes.loop->getHeader()->getModule()->getNamedMetadata(kNote);
  if (note == nullptr) return {};
  for (const MDNode* places : note->operands()) {
    for (const MDOperand& operand : places->operands()) {
      const std::int64_t place = mdconst::extract<ConstantInt>(operand)->getSExtValue();
      std::vector<LoadInst*> loads;
      const bool uniform = all_of(lanes.accesses, [&](const LaneAccess& access) {
        if (access.high <= place || place + lanes.lanes <= access.low) return true;
        auto* load = dyn_cast<LoadInst>(access.instruction);
        if (load == nullptr || access.first != place || access.stride != 1) return false;
        if (!load->getType()->isIntegerTy(8)) return false;
        loads.push_back(load);
        return true;
      });
      if (uniform && !loads.empty()) return loads;
    }
  }
  return {};
}

std::vector<BasicBlock*> version_loop(const LaneLoop& lanes, const std::vector<LoadInst*>& loads) {
  Loop& loop = *lanes.loop;
  BasicBlock* preheader = loop.getLoopPreheader();
  if (preheader == nullptr || !in_every_lane(loop, loads)) return {};
  std::vector<BasicBlock*> latches;
  BasicBlock* zeros = copy_loop(loop, loads, 0, ".zeros", latches);
  BasicBlock* ones = copy_loop(loop, loads, 1, ".ones", latches);

  const auto read_first = [&](const LaneAccess& access) { return access.instruction == loads[0]; };
  const std::int64_t first = find_if(lanes.accesses, read_first)->first;
  // The preheader reads the bytes of all lanes; the original loop gets a new preheader.
  BasicBlock* mixed = SplitBlock(preheader, preheader->getTerminator());
  IRBuilder<> builder(preheader->getTerminator());
  auto* all_lanes = FixedVectorType::get(builder.getInt8Ty(), lanes.lanes);
  Value* address = builder.CreatePtrAdd(lanes.base, builder.getInt64(first));
  Value* read = builder.CreateAlignedLoad(all_lanes, address, Align(1));
  Value* some = builder.CreateOrReduce(read);
  Value* all = builder.CreateAndReduce(read);
  preheader->getTerminator()->eraseFromParent();
  BasicBlock* not_zeros =
      BasicBlock::Create(preheader->getContext(), "not_zeros", preheader->getParent(), mixed);
  builder.SetInsertPoint(preheader);
  builder.CreateCondBr(builder.CreateICmpEQ(some, builder.getInt8(0)), zeros, not_zeros);
  builder.SetInsertPoint(not_zeros);
  Value* one = builder.getInt8(1);
  Value* are_one =
      builder.CreateAnd(builder.CreateICmpEQ(some, one), builder.CreateICmpEQ(all, one));
  builder.CreateCondBr(are_one, ones, mixed);
  return latches;
}

}  // namespace systole::lanes
