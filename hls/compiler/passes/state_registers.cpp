#include "hls/compiler/passes/state_registers.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <map>
#include <set>

#include "hls/compiler/passes/address.h"
#include "hls/compiler/passes/operations.h"
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
    if (llvm::isa<llvm::AllocaInst>(instruction) && !instruction.use_empty()) {
      const auto* user = llvm::cast<llvm::Instruction>(*instruction.user_begin());
      refuse(*user,
             "this local variable is indexed by something that is not constant after unrolling; "
             "index it with constants, or keep it in a memory");
    }
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

}  // namespace systole::compiler
