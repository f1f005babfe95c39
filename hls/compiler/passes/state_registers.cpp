#include "hls/compiler/passes/state_registers.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/DemandedBits.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/KnownBits.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>
#include <map>
#include <set>

#include "hls/compiler/analyses/address.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {

using llvm::dyn_cast;

/// Every register that is touched is a local variable until finish(), beside its kStores.
struct RegisterAccesses::Implementation {
  llvm::Function& edge;
  const std::vector<Leaf>& registers;
  std::map<std::pair<int, std::int64_t>, llvm::AllocaInst*> variables;

  llvm::Constant* number(std::int64_t value) const {
    return llvm::ConstantInt::get(llvm::Type::getInt32Ty(edge.getContext()), value);
  }
  llvm::Constant* element_number(std::int64_t value) const {
    return llvm::ConstantInt::get(llvm::Type::getInt64Ty(edge.getContext()), value);
  }

  /// The variable of a register, which starts as what the register holds.
  llvm::AllocaInst& variable(int leaf, std::int64_t element) {
    llvm::AllocaInst*& memory = variables[{leaf, element}];
    if (!memory) {
      llvm::IRBuilder<> builder(&*edge.getEntryBlock().getFirstInsertionPt());
      llvm::Type* type = builder.getIntNTy(registers[leaf].width);
      memory = builder.CreateAlloca(type);
      builder.CreateStore(emit_operation(builder, Operation::kReadRegister, type,
                                         {number(leaf), element_number(element)}),
                          memory);
    }
    return *memory;
  }

  void read(llvm::LoadInst& load, int leaf, std::int64_t element) {
    llvm::IRBuilder<> builder(&load);
    auto* value = builder.CreateLoad(load.getType(), &variable(leaf, element));
    value->takeName(&load);
    load.replaceAllUsesWith(value);
    load.eraseFromParent();
  }

  void write(llvm::StoreInst& store, int leaf, std::int64_t element) {
    llvm::IRBuilder<> builder(&store);
    llvm::Value* value = store.getValueOperand();
    if (const auto* constant = dyn_cast<llvm::ConstantInt>(value)) {
      value = builder.getInt(constant->getValue().zextOrTrunc(registers[leaf].width));
    }
    builder.CreateStore(value, &variable(leaf, element));
    emit_operation(builder, Operation::kStore, nullptr,
                   {number(leaf), element_number(element), value})
        ->setDebugLoc(store.getDebugLoc());
    store.eraseFromParent();
  }

  void read_port(llvm::LoadInst& load, int leaf, std::int64_t element) {
    llvm::IRBuilder<> builder(&load);
    auto* value = emit_operation(builder, Operation::kReadPort, load.getType(),
                                 {number(leaf), element_number(element)});
    value->takeName(&load);
    value->setDebugLoc(load.getDebugLoc());
    load.replaceAllUsesWith(value);
    load.eraseFromParent();
  }
};

RegisterAccesses::RegisterAccesses(llvm::Function& edge, const std::vector<Leaf>& registers)
    : implementation_(new Implementation{edge, registers, {}}) {}
RegisterAccesses::~RegisterAccesses() = default;

void RegisterAccesses::lower_variable(llvm::AllocaInst& memory, int leaf) {
  for (llvm::User* user : llvm::make_early_inc_range(memory.users())) {
    if (auto* load = dyn_cast<llvm::LoadInst>(user)) {
      implementation_->read(*load, leaf, 0);
    } else if (auto* store = dyn_cast<llvm::StoreInst>(user)) {
      implementation_->write(*store, leaf, 0);
    }
  }
  memory.eraseFromParent();
}

void RegisterAccesses::lower_port(llvm::Argument& parameter, const ThreadPort& port) {
  const llvm::DataLayout& layout = implementation_->edge.getParent()->getDataLayout();
  for (llvm::Instruction& instruction :
       llvm::make_early_inc_range(llvm::instructions(implementation_->edge))) {
    llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (!pointer) continue;
    const Address address = decode(pointer, layout);
    if (address.base != &parameter) continue;
    const auto place = place_of(address, port.leaves);
    if (!place) refuse(instruction, "this access does not fall on one element of the port");
    if (!place->terms.empty()) {
      refuse(instruction,
             "an element of a port is picked by a variable index; choose with a loop and ?:");
    }
    const ThreadLeaf target = port.targets[place->leaf];
    const unsigned width = port.leaves[place->leaf].width;
    if (auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
      if (!load->getType()->isIntegerTy(width)) {
        refuse(instruction, "this reads part of a value; use slice<high, low>()");
      }
      if (target.input >= 0) {
        implementation_->read_port(*load, target.input, place->element);
      } else if (target.reg >= 0) {
        implementation_->read(*load, target.reg, place->element);
      } else {
        refuse(instruction, "this member of a stream is only there natively; use pop() and push()");
      }
    } else {
      auto& store = llvm::cast<llvm::StoreInst>(instruction);
      if (target.reg < 0) {
        refuse(instruction, "an input cannot be written; make the parameter a register T&");
      }
      if (!store.getValueOperand()->getType()->isIntegerTy(width) &&
          !llvm::isa<llvm::ConstantInt>(store.getValueOperand())) {
        refuse(instruction, "this writes part of a value");
      }
      implementation_->write(store, target.reg, place->element);
    }
  }
}

void RegisterAccesses::finish() {
  std::vector<llvm::AllocaInst*> allocas;
  for (const auto& [key, memory] : implementation_->variables) allocas.push_back(memory);
  llvm::DominatorTree dominators(implementation_->edge);
  if (!allocas.empty()) llvm::PromoteMemToReg(allocas, dominators);
  for (const llvm::Instruction& instruction : llvm::instructions(implementation_->edge)) {
    if (!llvm::isa<llvm::AllocaInst>(instruction) || instruction.use_empty()) continue;
    const auto* place = llvm::cast<llvm::Instruction>(*instruction.user_begin());
    for (const llvm::User* user : instruction.users()) {
      const auto* step = dyn_cast<llvm::GetElementPtrInst>(user);
      if (step && !step->hasAllConstantIndices()) place = step;
    }
    refuse(*place,
           "this local variable is indexed by something that is not constant after unrolling; "
           "index it with constants, or keep it in a memory");
  }
}

namespace {

using Element = std::pair<std::int64_t, std::int64_t>;

Element element_of(const llvm::CallInst& call) {
  return {constant_argument(call, 0), constant_argument(call, 1)};
}

}  // namespace

void drop_writes_of_same(llvm::Function& edge) {
  std::vector<llvm::Instruction*> dead;
  for (llvm::BasicBlock& block : edge) {
    std::set<Element> later;
    for (llvm::Instruction& instruction : llvm::reverse(block)) {
      if (!is_operation(instruction, Operation::kStore)) continue;
      const auto& call = llvm::cast<llvm::CallInst>(instruction);
      if (!later.insert(element_of(call)).second) dead.push_back(&instruction);
    }
  }
  // A register that no way writes twice may be left alone where it would get its own value.
  std::map<Element, int> writes;
  for (const llvm::Instruction& instruction : llvm::instructions(edge)) {
    if (is_operation(instruction, Operation::kStore)) {
      ++writes[element_of(llvm::cast<llvm::CallInst>(instruction))];
    }
  }
  for (llvm::Instruction& instruction : llvm::instructions(edge)) {
    if (!is_operation(instruction, Operation::kStore)) continue;
    const auto& call = llvm::cast<llvm::CallInst>(instruction);
    const auto* value = dyn_cast<llvm::CallInst>(call.getArgOperand(2));
    if (value && is_operation(*value, Operation::kReadRegister) &&
        element_of(*value) == element_of(call) && writes[element_of(call)] == 1) {
      dead.push_back(&instruction);
    }
  }
  std::set<llvm::Instruction*> once(dead.begin(), dead.end());
  for (llvm::Instruction* one : once) one->eraseFromParent();
}

void drop_dead_registers(LoweredThread& thread) {
  const int first_kept = static_cast<int>(thread.ports.registers.size());
  const int state_register = thread.state_register();
  std::map<const llvm::Function*, std::size_t> index;
  for (std::size_t i = 0; i < thread.states.size(); ++i) index[thread.states[i].edge] = i;

  // Registers that a state needs when it starts to wait: read by it, or by a state after it.
  std::vector<std::set<std::int64_t>> needs(thread.states.size());
  const auto needed_behind = [&](const llvm::BasicBlock& from) {
    std::set<std::int64_t> needed;
    std::set<const llvm::BasicBlock*> seen = {&from};
    std::vector<const llvm::BasicBlock*> open = {&from};
    while (!open.empty()) {
      const llvm::BasicBlock* block = open.back();
      open.pop_back();
      for (const llvm::Instruction& instruction : *block) {
        if (!is_operation(instruction, Operation::kStore) ||
            leaf_of(instruction) != state_register) {
          continue;
        }
        const auto* next =
            dyn_cast<llvm::ConstantInt>(llvm::cast<llvm::CallInst>(instruction).getArgOperand(2));
        for (std::size_t state = 0; state < needs.size(); ++state) {
          if (!next || next->getZExtValue() == state) {
            needed.insert(needs[state].begin(), needs[state].end());
          }
        }
      }
      for (const llvm::BasicBlock* next : llvm::successors(block)) {
        if (seen.insert(next).second) open.push_back(next);
      }
    }
    return needed;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < thread.states.size(); ++i) {
      const llvm::Function& edge = *thread.states[i].edge;
      std::set<std::int64_t> all = needed_behind(edge.getEntryBlock());
      all.insert(needs[i].begin(), needs[i].end());  // while it waits it keeps them
      for (const llvm::Instruction& instruction : llvm::instructions(edge)) {
        if (is_operation(instruction, Operation::kReadRegister) && !instruction.use_empty()) {
          all.insert(leaf_of(instruction));
        }
      }
      changed = changed || all.size() != needs[i].size();
      needs[i] = std::move(all);
    }
  }
  std::vector<llvm::Function*> edges = {thread.reset};
  for (const ThreadState& state : thread.states) edges.push_back(state.edge);
  for (llvm::Function* edge : edges) {
    for (llvm::BasicBlock& block : *edge) {
      const std::set<std::int64_t> needed = needed_behind(block);
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
        if (!is_operation(instruction, Operation::kStore)) continue;
        const int leaf = leaf_of(instruction);
        if (leaf >= first_kept && leaf != state_register && needed.count(leaf) == 0) {
          instruction.eraseFromParent();
        }
      }
    }
  }
}

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

/// The bits of each register that some state uses.
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

}  // namespace

namespace {

/// The least width whose zeros above are kept by every store: what the register holds is taken to
/// be that narrow, and then what is stored must be, too.
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
  std::vector<llvm::Function*> edges = {thread.reset};
  for (const ThreadState& state : thread.states) edges.push_back(state.edge);
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
