#include "hls/compiler/passes/register_accesses.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <map>
#include <vector>

#include "hls/compiler/analyses/address.h"
#include "hls/compiler/checks/range_checks.h"
#include "hls/compiler/ir/enum_values.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {

using llvm::dyn_cast;

/// Every accessed register has a local variable until finish(), besides its kStores.
struct RegisterAccesses::Implementation {
  llvm::Function& edge;
  const std::vector<Leaf>& registers;
  std::map<std::pair<int, std::int64_t>, llvm::AllocaInst*> variables;
  RangeChecks checks = {};

  llvm::Constant* number(std::int64_t value) const {
    return llvm::ConstantInt::get(llvm::Type::getInt32Ty(edge.getContext()), value);
  }
  llvm::Constant* element_number(std::int64_t value) const {
    return llvm::ConstantInt::get(llvm::Type::getInt64Ty(edge.getContext()), value);
  }

  /// A register's variable, which starts with the register's value.
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
    write(builder, value, leaf, element);
    store.eraseFromParent();
  }

  void write(llvm::IRBuilder<>& builder, llvm::Value* value, int leaf, std::int64_t element) {
    builder.CreateStore(value, &variable(leaf, element));
    emit_operation(builder, Operation::kStore, nullptr,
                   {number(leaf), element_number(element), value});
  }

  /// The parts of a port that an access touches: one element, or several if a struct of bools or
  /// enums is copied as a whole.
  std::vector<Piece> parts(const llvm::Instruction& access, const Address& address,
                           const std::vector<Leaf>& leaves) const {
    const auto place = place_of(address, leaves);
    if (!place) refuse(access, "this access does not fall on one element of the port");
    if (!place->terms.empty()) {
      refuse(access,
             "an element of a port is picked by a variable index; choose with a loop and ?:");
    }
    llvm::Type* type = llvm::getLoadStoreType(const_cast<llvm::Instruction*>(&access));
    if (type->isIntegerTy(leaves[place->leaf].memory_width())) return {{*place, 0}};
    const llvm::DataLayout& layout = edge.getParent()->getDataLayout();
    std::vector<Piece> pieces;
    if (type->isIntegerTy()) {
      pieces = pieces_of(address,
                         static_cast<std::int64_t>(layout.getTypeStoreSize(type).getFixedValue()),
                         leaves);
    }
    if (pieces.empty()) refuse(access, "this touches part of a value; use slice<high, low>()");
    return pieces;
  }

  void read_port(llvm::LoadInst& load, const Address& address, const ThreadPort& port) {
    llvm::IRBuilder<> builder(&load);
    llvm::Value* value = nullptr;
    for (const Piece& piece : parts(load, address, port.leaves)) {
      const Leaf& leaf = port.leaves[piece.place.leaf];
      const ThreadLeaf target = port.targets[piece.place.leaf];
      llvm::Type* type = builder.getIntNTy(leaf.width);
      llvm::Value* part = nullptr;
      if (target.input >= 0) {
        part = emit_operation(builder, Operation::kReadPort, type,
                              {number(target.input), element_number(piece.place.element)});
      } else if (target.reg >= 0) {
        part = builder.CreateLoad(type, &variable(target.reg, piece.place.element));
      } else {
        refuse(load, "this member of a stream is only there natively; use pop() and push()");
      }
      part->takeName(&load);
      part = value_in_memory(builder, part, leaf);
      if (part->getType() != load.getType()) {
        part = builder.CreateShl(builder.CreateZExt(part, load.getType()),
                                 static_cast<std::uint64_t>(8 * piece.byte));
      }
      value = value ? builder.CreateOr(value, part) : part;
    }
    load.replaceAllUsesWith(value);
    load.eraseFromParent();
  }

  void write_port(llvm::StoreInst& store, const Address& address, const ThreadPort& port) {
    llvm::IRBuilder<> builder(&store);
    llvm::Value* whole = store.getValueOperand();
    for (const Piece& piece : parts(store, address, port.leaves)) {
      const Leaf& leaf = port.leaves[piece.place.leaf];
      const int target = port.targets[piece.place.leaf].reg;
      if (target < 0) {
        refuse(store, "an input cannot be written; make the parameter a register T&");
      }
      llvm::Type* type = builder.getIntNTy(leaf.memory_width());
      llvm::Value* part = whole;
      if (part->getType() != type) {
        part = builder.CreateTrunc(
            builder.CreateLShr(part, static_cast<std::uint64_t>(8 * piece.byte)), type);
      }
      write(builder, value_in_hardware(builder, part, leaf, checks), target, piece.place.element);
    }
    store.eraseFromParent();
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
    if (auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
      implementation_->read_port(*load, address, port);
    } else {
      implementation_->write_port(llvm::cast<llvm::StoreInst>(instruction), address, port);
    }
  }
}

void RegisterAccesses::finish() {
  std::vector<llvm::AllocaInst*> allocas;
  for (const auto& [key, memory] : implementation_->variables) allocas.push_back(memory);
  llvm::DominatorTree dominators(implementation_->edge);
  if (!allocas.empty()) llvm::PromoteMemToReg(allocas, dominators);
  implementation_->checks.settle(implementation_->edge);
  // Addresses of lowered accesses; one may be computed from another of an earlier block.
  std::vector<llvm::WeakTrackingVH> addresses;
  for (llvm::Instruction& one : llvm::instructions(implementation_->edge)) {
    if (llvm::isa<llvm::GetElementPtrInst>(one)) addresses.emplace_back(&one);
  }
  for (const llvm::WeakTrackingVH& one : addresses) {
    if (one) llvm::RecursivelyDeleteTriviallyDeadInstructions(one);
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
