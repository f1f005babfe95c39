#include "hls/compiler/passes/register_accesses.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <map>

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
  for (llvm::BasicBlock& block : implementation_->edge) {  // the addresses of what is lowered now
    for (llvm::Instruction& one : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (llvm::isa<llvm::GetElementPtrInst>(one) && one.use_empty()) one.eraseFromParent();
    }
  }
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

}  // namespace systole::compiler
