#include "hls/compiler/passes/drop_padding.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>

#include "hls/compiler/analyses/address.h"

namespace systole::compiler {
namespace {

class Padding {
 public:
  Padding(const llvm::Function& function,
          llvm::function_ref<const std::vector<Leaf>*(const llvm::Value&)> leaves_of)
      : layout_(function.getParent()->getDataLayout()), leaves_of_(leaves_of) {}

  /// Whether the copy brings nothing to anybody: from padding, or from nowhere, to padding.
  bool is_copied(const llvm::Instruction& instruction) const {
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      const llvm::Value& value = *store->getValueOperand();
      return carries_nothing(value) && lies_at(*store->getPointerOperand(), size_of(value));
    }
    const auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(&instruction);
    if (!copy) return false;
    const std::int64_t bytes = size_of(*copy);
    return bytes > 0 && lies_at(*copy->getRawDest(), bytes) &&
           (lies_at(*copy->getRawSource(), bytes) || is_never_written(*copy->getRawSource()));
  }

 private:
  std::int64_t size_of(const llvm::Value& value) const {
    return static_cast<std::int64_t>(layout_.getTypeStoreSize(value.getType()).getFixedValue());
  }
  static std::int64_t size_of(const llvm::MemCpyInst& copy) {
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
    return length ? length->getSExtValue() : 0;
  }

  bool carries_nothing(const llvm::Value& value) const {
    llvm::SmallPtrSet<const llvm::Value*, 8> seen;
    return carries_nothing(value, seen);
  }
  bool carries_nothing(const llvm::Value& value,
                       llvm::SmallPtrSetImpl<const llvm::Value*>& seen) const {
    if (llvm::isa<llvm::UndefValue>(value) || !seen.insert(&value).second) return true;
    if (const auto* joined = llvm::dyn_cast<llvm::PHINode>(&value)) {
      return llvm::all_of(joined->incoming_values(),
                          [&](const llvm::Use& one) { return carries_nothing(*one, seen); });
    }
    if (const auto* chosen = llvm::dyn_cast<llvm::SelectInst>(&value)) {
      return carries_nothing(*chosen->getTrueValue(), seen) &&
             carries_nothing(*chosen->getFalseValue(), seen);
    }
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&value);
    return load && lies_at(*load->getPointerOperand(), size_of(value));
  }

  bool lies_at(const llvm::Value& pointer, std::int64_t bytes) const {
    const Address address = decode(const_cast<llvm::Value*>(&pointer), layout_);
    const std::vector<Leaf>* leaves = address.base ? leaves_of_(*address.base) : nullptr;
    return leaves && is_padding(address, bytes, *leaves);
  }

  static bool is_never_written(const llvm::Value& pointer) {
    const auto* local = llvm::dyn_cast<llvm::AllocaInst>(&pointer);
    return local && std::all_of(local->user_begin(), local->user_end(), [&](const auto* user) {
             const auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(user);
             return copy && copy->getRawDest() != local;
           });
  }

  const llvm::DataLayout& layout_;
  llvm::function_ref<const std::vector<Leaf>*(const llvm::Value&)> leaves_of_;
};

}  // namespace

void drop_padding(llvm::Function& function,
                  llvm::function_ref<const std::vector<Leaf>*(const llvm::Value& base)> leaves_of) {
  const Padding padding(function, leaves_of);
  std::vector<llvm::Instruction*> copies;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (padding.is_copied(instruction)) copies.push_back(&instruction);
  }
  // A value may be copied several times, and one copy's may be another's.
  std::vector<llvm::WeakVH> values;
  for (llvm::Instruction* copy : copies) {
    if (llvm::isa<llvm::StoreInst>(copy)) values.emplace_back(copy->getOperand(0));
    copy->eraseFromParent();
  }
  for (const llvm::WeakVH& value : values) {
    if (auto* phi = llvm::dyn_cast_or_null<llvm::PHINode>(value)) {
      llvm::RecursivelyDeleteDeadPHINode(phi);
    } else if (value) {
      llvm::RecursivelyDeleteTriviallyDeadInstructions(value);
    }
  }
}

}  // namespace systole::compiler
