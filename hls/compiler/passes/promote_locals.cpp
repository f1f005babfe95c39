#include "hls/compiler/passes/promote_locals.h"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>
#include <vector>

namespace systole::compiler {
namespace {

/// A local integer that is accessed in pieces, such as a UInt<100> that clang passes in two
/// registers. It becomes one wide integer, and each access a slice of it.
class AssembledLocal {
 public:
  explicit AssembledLocal(llvm::AllocaInst& local)
      : local_(local), layout_(local.getModule()->getDataLayout()) {}

  bool is_integer() {
    const auto size = local_.getAllocationSize(layout_);
    if (!size || size->isScalable() || size->getFixedValue() > kMostBytes) return false;
    bytes_ = size->getFixedValue();
    return bytes_ > 0 && collect(local_, 0);
  }

  /// Call once, if is_integer(); returns the alloca to promote.
  llvm::AllocaInst* assemble() {
    accesses_.clear();
    steps_.clear();
    is_integer();
    llvm::IRBuilder<> start(&local_);
    whole_ = start.getIntNTy(static_cast<unsigned>(8 * bytes_));
    auto* memory = start.CreateAlloca(whole_);
    memory->takeName(&local_);
    start.SetInsertPoint(local_.getNextNode());
    start.CreateStore(llvm::ConstantInt::get(whole_, 0), memory);
    for (const auto& [access, byte] : accesses_) replace(*access, byte, *memory);
    for (auto at = steps_.rbegin(); at != steps_.rend(); ++at) (*at)->eraseFromParent();
    local_.eraseFromParent();
    return memory;
  }

 private:
  static constexpr std::uint64_t kMostBytes = 32;

  bool collect(llvm::Instruction& pointer, std::int64_t byte) {
    for (llvm::User* user : pointer.users()) {
      if (auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
        llvm::APInt offset(layout_.getIndexTypeSizeInBits(step->getType()), 0);
        if (!step->accumulateConstantOffset(layout_, offset)) return false;
        steps_.push_back(step);
        if (!collect(*step, byte + offset.getSExtValue())) return false;
        continue;
      }
      llvm::Type* type = nullptr;
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
        if (!load->isVolatile()) type = load->getType();
      } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
        if (store->getPointerOperand() == &pointer && !store->isVolatile()) {
          type = store->getValueOperand()->getType();
        }
      }
      if (!type || !type->isIntegerTy() || byte < 0 ||
          static_cast<std::uint64_t>(byte) + layout_.getTypeStoreSize(type) > bytes_) {
        return false;
      }
      accesses_.emplace_back(llvm::cast<llvm::Instruction>(user), byte);
    }
    return true;
  }

  void replace(llvm::Instruction& access, std::int64_t byte, llvm::AllocaInst& memory) const {
    llvm::IRBuilder<> builder(&access);
    llvm::Value* whole = builder.CreateLoad(whole_, &memory);
    const auto shift = static_cast<std::uint64_t>(8 * byte);
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&access)) {
      llvm::Value* part = builder.CreateTrunc(builder.CreateLShr(whole, shift), load->getType());
      part->takeName(load);
      load->replaceAllUsesWith(part);
    } else {
      llvm::Value* value = llvm::cast<llvm::StoreInst>(access).getValueOperand();
      const auto bits = static_cast<unsigned>(8 * layout_.getTypeStoreSize(value->getType()));
      const unsigned low = static_cast<unsigned>(shift);
      const llvm::APInt mask =
          llvm::APInt::getBitsSet(whole_->getIntegerBitWidth(), low, low + bits);
      llvm::Value* kept = builder.CreateAnd(whole, llvm::ConstantInt::get(whole_, ~mask));
      llvm::Value* moved = builder.CreateShl(builder.CreateZExt(value, whole_), shift);
      builder.CreateStore(builder.CreateOr(kept, moved), &memory);
    }
    access.eraseFromParent();
  }

  llvm::AllocaInst& local_;
  const llvm::DataLayout& layout_;
  std::uint64_t bytes_ = 0;
  llvm::IntegerType* whole_ = nullptr;
  std::vector<std::pair<llvm::Instruction*, std::int64_t>> accesses_;
  std::vector<llvm::GetElementPtrInst*> steps_;
};

llvm::Type* access_type(const llvm::User& user, const llvm::AllocaInst& local) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&user)) return load->getType();
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&user);
  if (!store || store->getPointerOperand() != &local) return nullptr;
  return store->getValueOperand()->getType();
}

/// Loads and stores of whole integers only: no store writes just some of the bytes read.
bool is_scalar(const llvm::AllocaInst& local) {
  const llvm::DataLayout& layout = local.getModule()->getDataLayout();
  std::uint64_t written = ~0ull;
  std::uint64_t read = 0;
  llvm::Type* first = nullptr;
  bool same = true;
  for (const llvm::User* user : local.users()) {
    llvm::Type* type = access_type(*user, local);
    if (!type) return false;
    same = same && (!first || first == type);
    first = type;
    if (!type->isIntegerTy()) continue;
    const std::uint64_t bytes = layout.getTypeStoreSize(type);
    if (llvm::isa<llvm::LoadInst>(user)) {
      read = std::max(read, bytes);
    } else {
      written = std::min(written, bytes);
    }
  }
  if (same) return first != nullptr;
  for (const llvm::User* user : local.users()) {
    if (!access_type(*user, local)->isIntegerTy()) return false;
  }
  return read <= written;
}

void widen(llvm::AllocaInst& local) {
  llvm::Type* widest = nullptr;
  bool mixed = false;
  for (const llvm::User* user : local.users()) {
    llvm::Type* type = access_type(*user, local);
    mixed = mixed || (widest && widest != type);
    if (!widest ||
        (type->isIntegerTy() && type->getIntegerBitWidth() > widest->getIntegerBitWidth())) {
      widest = type;
    }
  }
  local.setAllocatedType(widest);
  if (!mixed) return;
  std::vector<llvm::Instruction*> accesses;
  for (llvm::User* user : local.users()) accesses.push_back(llvm::cast<llvm::Instruction>(user));
  for (llvm::Instruction* access : accesses) {
    llvm::IRBuilder<> builder(access);
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(access)) {
      llvm::Value* whole = builder.CreateLoad(widest, &local);
      llvm::Value* part = builder.CreateTrunc(whole, load->getType());
      part->takeName(load);
      load->replaceAllUsesWith(part);
    } else {
      auto* store = llvm::cast<llvm::StoreInst>(access);
      builder.CreateStore(builder.CreateZExt(store->getValueOperand(), widest), &local);
    }
    access->eraseFromParent();
  }
}

/// Collects what writes a local or points into it; false if anything reads it or keeps its address.
bool is_only_written(llvm::Instruction& pointer, std::vector<llvm::Instruction*>& users) {
  for (llvm::User* user : pointer.users()) {
    auto* instruction = llvm::cast<llvm::Instruction>(user);
    users.push_back(instruction);
    if (llvm::isa<llvm::GetElementPtrInst>(instruction)) {
      if (!is_only_written(*instruction, users)) return false;
    } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(instruction)) {
      if (store->getPointerOperand() != &pointer || store->isVolatile()) return false;
    } else if (const auto* fill = llvm::dyn_cast<llvm::MemIntrinsic>(instruction)) {
      const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(fill);
      if (fill->getRawDest() != &pointer || (copy && copy->getRawSource() == &pointer))
        return false;
    } else {
      return false;
    }
  }
  return true;
}

/// Erases the locals that nothing reads, with their writes; whether there were any.
bool drop_unread_locals(llvm::Function& function) {
  std::vector<llvm::AllocaInst*> locals;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) locals.push_back(local);
  }
  bool any = false;
  for (llvm::AllocaInst* local : locals) {
    std::vector<llvm::Instruction*> users;
    if (!is_only_written(*local, users)) continue;
    for (auto at = users.rbegin(); at != users.rend(); ++at) (*at)->eraseFromParent();
    local->eraseFromParent();
    any = true;
  }
  return any;
}

/// Filling a whole local with a constant byte is storing one integer: `State()` clears its members.
bool store_fills(llvm::Function& function) {
  constexpr std::uint64_t kMostBytes = 32;
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  std::vector<llvm::MemSetInst*> fills;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&instruction);
    auto* local = fill ? llvm::dyn_cast<llvm::AllocaInst>(fill->getRawDest()) : nullptr;
    const auto* length = fill ? llvm::dyn_cast<llvm::ConstantInt>(fill->getLength()) : nullptr;
    if (!local || !length || fill->isVolatile()) continue;
    const bool is_number = local->getAllocatedType()->isIntegerTy();
    if (!is_number && length->getZExtValue() > kMostBytes) continue;
    // An i40 takes 8 bytes; 5 hold its value.
    const auto bytes = llvm::TypeSize::getFixed(length->getZExtValue());
    if (bytes != local->getAllocationSize(layout) &&
        bytes != layout.getTypeStoreSize(local->getAllocatedType())) {
      continue;
    }
    if (llvm::isa<llvm::ConstantInt>(fill->getValue())) fills.push_back(fill);
  }
  for (llvm::MemSetInst* fill : fills) {
    const auto bits =
        static_cast<unsigned>(8 * llvm::cast<llvm::ConstantInt>(fill->getLength())->getZExtValue());
    const llvm::APInt& byte = llvm::cast<llvm::ConstantInt>(fill->getValue())->getValue();
    llvm::IRBuilder<> builder(fill);
    builder.CreateStore(builder.getInt(llvm::APInt::getSplat(bits, byte)), fill->getRawDest());
    fill->eraseFromParent();
  }
  return !fills.empty();
}

}  // namespace

llvm::PreservedAnalyses PromoteLocals::run(llvm::Function& function,
                                           llvm::FunctionAnalysisManager&) {
  const bool stored = store_fills(function);
  const bool dropped = drop_unread_locals(function) || stored;
  std::vector<llvm::AllocaInst*> promotable;
  std::vector<llvm::AllocaInst*> pieces;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* local = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!local) continue;
    if (is_scalar(*local)) {
      promotable.push_back(local);
    } else if (AssembledLocal(*local).is_integer()) {
      pieces.push_back(local);
    }
  }
  if (promotable.empty() && pieces.empty()) {
    return dropped ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
  for (llvm::AllocaInst* local : promotable) widen(*local);
  for (llvm::AllocaInst* local : pieces) promotable.push_back(AssembledLocal(*local).assemble());
  llvm::DominatorTree dominators(function);
  llvm::PromoteMemToReg(promotable, dominators);
  return llvm::PreservedAnalyses::none();
}

}  // namespace systole::compiler
