#include "hls/compiler/checks/walked_elements.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <optional>
#include <vector>

#include "hls/compiler/frontend/layout.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/passes/simplify.h"

namespace systole::compiler {
namespace {

using llvm::dyn_cast;

constexpr const char* kAccess = "hls.walked_access";

/// A pointer that moves on in a variable: `++p`.
bool steps_pointer(const llvm::Instruction& instruction) {
  const auto* store = dyn_cast<llvm::StoreInst>(&instruction);
  if (!store) return false;
  const auto* step = dyn_cast<llvm::GetElementPtrInst>(store->getValueOperand());
  return step && step->getNumIndices() == 1 && llvm::isa<llvm::LoadInst>(step->getPointerOperand());
}

/// Whether the pointer is that of clang's own loop over all elements of a local array, which calls
/// their constructor: the only pointer that steps without a variable, right by construction, and
/// flat where the array has rows.
bool is_constructed(const llvm::Value* pointer) {
  llvm::SmallPtrSet<const llvm::Value*, 8> seen;
  while (seen.insert(pointer = pointer->stripInBoundsOffsets()).second) {
    if (const auto* phi = dyn_cast<llvm::PHINode>(pointer)) {
      return llvm::any_of(phi->incoming_values(), [&](const llvm::Value* one) {
        return one != phi && one->stripInBoundsOffsets() == phi;
      });
    }
    const auto* load = dyn_cast<llvm::LoadInst>(pointer);
    if (!load) return false;
    const llvm::StoreInst* only = nullptr;
    for (const llvm::User* user : load->getPointerOperand()->users()) {
      const auto* store = dyn_cast<llvm::StoreInst>(user);
      if (!store) continue;
      if (only) return false;
      only = store;
    }
    if (!only || only->getPointerOperand() != load->getPointerOperand()) return false;
    pointer = only->getValueOperand();
  }
  return false;
}

/// The variable that a pointer is read from, past constant steps; null for none.
llvm::LoadInst* variable_read(llvm::Value* pointer) {
  return dyn_cast<llvm::LoadInst>(pointer->stripInBoundsOffsets());
}

/// Keeps where each walk starts, in a variable beside the one that walks: what is a constant number
/// of steps away is a member's neighbour as well as an element beyond its end.
class Starts {
 public:
  /// Where the walk starts that has come to `pointer`.
  llvm::Value* of(llvm::Value* pointer) {
    const llvm::Type* stepped = nullptr;
    while (auto* step = dyn_cast<llvm::GEPOperator>(pointer)) {
      // An element of an array starts another walk, and so does the first element of a row.
      if (step->getNumIndices() > 1) break;
      if (stepped && step->getSourceElementType() != stepped) break;
      stepped = step->getSourceElementType();
      pointer = step->getPointerOperand();
    }
    auto* read = dyn_cast<llvm::LoadInst>(pointer);
    auto* variable = read ? dyn_cast<llvm::AllocaInst>(read->getPointerOperand()) : nullptr;
    if (!variable) return pointer;
    return llvm::IRBuilder<>(read).CreateLoad(read->getType(), beside(*variable));
  }

  /// The bytes of a step of the walk in a variable, or of the one that it is copied from; 0 for
  /// none.
  std::uint64_t step_bytes(const llvm::Value& variable, const llvm::DataLayout& layout) {
    std::uint64_t bytes = 0;
    seen_.clear();
    find_step(variable, layout, bytes);
    return bytes;
  }

 private:
  llvm::AllocaInst* beside(llvm::AllocaInst& variable) {
    llvm::AllocaInst*& start = starts_[&variable];
    if (start) return start;
    auto* made = llvm::IRBuilder<>(&variable).CreateAlloca(variable.getAllocatedType());
    start = made;
    for (llvm::User* user : llvm::make_early_inc_range(variable.users())) {
      auto* store = dyn_cast<llvm::StoreInst>(user);
      if (!store || store->getPointerOperand() != &variable) continue;
      llvm::Value* from = of(store->getValueOperand());
      llvm::IRBuilder<>(store).CreateStore(from, made);
    }
    return made;
  }

  void find_step(const llvm::Value& variable, const llvm::DataLayout& layout,
                 std::uint64_t& bytes) {
    if (!seen_.insert(&variable).second) return;
    for (const llvm::User* user : variable.users()) {
      const auto* store = dyn_cast<llvm::StoreInst>(user);
      if (!store || store->getPointerOperand() != &variable) continue;
      const llvm::Value* value = store->getValueOperand();
      if (const auto* step = dyn_cast<llvm::GEPOperator>(value);
          step && step->getNumIndices() == 1) {
        bytes = layout.getTypeAllocSize(step->getSourceElementType());
        value = step->getPointerOperand();
      }
      if (const auto* copied = dyn_cast<llvm::LoadInst>(value)) {
        find_step(*copied->getPointerOperand(), layout, bytes);
      }
    }
  }

  llvm::DenseMap<llvm::AllocaInst*, llvm::AllocaInst*> starts_;
  llvm::SmallPtrSet<const llvm::Value*, 8> seen_;
};

/// Marks the accesses through pointers, of which tidy() makes indices: with the place where the
/// walk starts, and the bytes of its steps.
void mark_accesses(llvm::Function& function) {
  std::vector<llvm::Instruction*> accesses;
  bool any_steps = false;
  for (llvm::Instruction& one : llvm::instructions(function)) {
    any_steps = any_steps || steps_pointer(one);
    llvm::Value* pointer = llvm::getLoadStorePointerOperand(&one);
    if (pointer && variable_read(pointer) && !is_constructed(pointer)) accesses.push_back(&one);
  }
  if (!any_steps) return;
  llvm::LLVMContext& context = function.getContext();
  llvm::Type* pointer_type = llvm::PointerType::getUnqual(context);
  auto* type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                              {pointer_type, pointer_type, llvm::Type::getInt64Ty(context)}, false);
  auto* mark = llvm::cast<llvm::Function>(
      function.getParent()->getOrInsertFunction(kAccess, type).getCallee());
  mark->setDoesNotThrow();
  mark->setWillReturn();
  mark->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
  for (const unsigned pointer : {0u, 1u}) {
    mark->addParamAttr(pointer, llvm::Attribute::NoCapture);
    mark->addParamAttr(pointer, llvm::Attribute::ReadNone);
  }
  Starts starts;
  for (llvm::Instruction* access : accesses) {
    llvm::Value* pointer = llvm::getLoadStorePointerOperand(access);
    llvm::LoadInst* read = variable_read(pointer);
    llvm::IRBuilder<> builder(access);
    builder.CreateCall(
        mark, {pointer, starts.of(read),
               builder.getInt64(starts.step_bytes(*read->getPointerOperand(),
                                                  function.getParent()->getDataLayout()))});
  }
}

std::vector<llvm::CallInst*> marks(llvm::Function& function) {
  std::vector<llvm::CallInst*> found;
  for (llvm::Instruction& one : llvm::instructions(function)) {
    auto* call = dyn_cast<llvm::CallInst>(&one);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (callee && callee->getName() == kAccess) found.push_back(call);
  }
  return found;
}

/// An array that an access is in, and the element at which its address begins to vary.
struct Elements {
  std::uint64_t count = 0;
  std::int64_t first = 0;
};

/// An address: constant bytes from the start of an object, then elements that vary, then bytes.
class WalkedAddress {
 public:
  WalkedAddress(llvm::Value& pointer, const llvm::DataLayout& layout) : layout_(layout) {
    llvm::Value* at = &pointer;
    std::int64_t in_type = 0;
    while (auto* step = dyn_cast<llvm::GEPOperator>(at)) {
      llvm::MapVector<llvm::Value*, llvm::APInt> varying;
      llvm::APInt bytes(64, 0);
      is_known_ = is_known_ && step->collectOffset(layout, 64, varying, bytes);
      for (const auto& [index, size] : varying) {
        is_known_ = is_known_ && (size_ == 0 || size == size_) && index->getType()->isIntegerTy(64);
        size_ = size.getZExtValue();
        indices_.push_back(index);
      }
      if (!varying.empty()) {
        after_ += before_;
        before_ = 0;
      }
      before_ += bytes.getSExtValue();
      if (step->getNumIndices() > 1) {
        type_ = step->getSourceElementType();
        in_type = before_;
      } else if (!varying.empty()) {
        type_ = nullptr;
      }
      at = step->getPointerOperand();
    }
    object_ = at;
    type_begins_ = before_ - in_type;
    const auto has_type = [&](llvm::Type* type) {
      type_ = type;
      type_begins_ = 0;
    };
    if (const auto* local = dyn_cast<llvm::AllocaInst>(at)) has_type(local->getAllocatedType());
    if (const auto* global = dyn_cast<llvm::GlobalVariable>(at)) has_type(global->getValueType());
    if (auto* argument = dyn_cast<llvm::Argument>(at)) {
      source_type_ = type_of(*argument);
      if (argument->hasStructRetAttr()) has_type(argument->getParamStructRetType());
    }
  }

  /// Before `access`, a test of its element, in the array in which a walk of such steps starts.
  void test(llvm::CallInst& access, const WalkedAddress& start, std::uint64_t step_bytes) const {
    const bool is_constant = size_ == 0 && start.size_ == 0 && step_bytes != 0;
    const bool is_counted = is_constant && start.is_known_ && start.object_ == object_;
    WalkedAddress walk = is_counted ? start : *this;
    if (is_counted) {
      walk.size_ = step_bytes;
      walk.after_ = before_ - start.before_;
    }
    const std::optional<Elements> array = walk.elements();
    if (!is_known_ || !array) return;
    llvm::IRBuilder<> builder(&access);
    llvm::Value* index = builder.getInt64(static_cast<std::uint64_t>(array->first));
    for (llvm::Value* one : indices_) index = builder.CreateAdd(index, one);
    emit_operation(builder, Operation::kCheck, nullptr, {builder.getInt64(array->count), index});
  }

 private:
  std::optional<Elements> elements() const {
    if (source_type_) return elements_of(*source_type_);
    llvm::Type* type = type_;
    std::int64_t byte = before_ - type_begins_;
    while (type) {
      if (const auto* array = dyn_cast<llvm::ArrayType>(type)) {
        llvm::Type* element = array->getElementType();
        const std::uint64_t size = layout_.getTypeAllocSize(element);
        // Where nothing varies, the outermost array: inside of others an end is another's start.
        if (size == size_ || size_ == 0) return at(array->getNumElements(), size, byte);
        if (size == 0 || byte < 0) return std::nullopt;
        byte %= static_cast<std::int64_t>(size);
        type = element;
      } else if (auto* record = dyn_cast<llvm::StructType>(type)) {
        const llvm::StructLayout& members = *layout_.getStructLayout(record);
        if (byte < 0 || record->getNumElements() == 0 ||
            static_cast<std::uint64_t>(byte) >= members.getSizeInBytes()) {
          return std::nullopt;
        }
        const unsigned member =
            members.getElementContainingOffset(static_cast<std::uint64_t>(byte));
        byte -= static_cast<std::int64_t>(members.getElementOffset(member).getFixedValue());
        type = record->getElementType(member);
      } else {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  /// The same by debug information, which has the types of a function's parameters.
  std::optional<Elements> elements_of(const llvm::DIType& parameter) const {
    const llvm::DIType* type = strip_type(&parameter);
    const auto* pointer = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type);
    if (pointer) type = strip_type(pointer->getBaseType());  // `this`
    for (std::int64_t byte = before_; byte >= 0;) {
      const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(type);
      if (!composite) return std::nullopt;
      if (composite->getTag() == llvm::dwarf::DW_TAG_array_type) {
        std::uint64_t size = composite->getSizeInBits() / 8;
        for (const llvm::DINode* one : composite->getElements()) {
          const auto* count =
              llvm::cast<llvm::DISubrange>(one)->getCount().dyn_cast<llvm::ConstantInt*>();
          if (!count || count->isZero()) return std::nullopt;
          size /= count->getZExtValue();
          if (size == size_ || size_ == 0) return at(count->getZExtValue(), size, byte);
          if (size == 0) return std::nullopt;
          byte %= static_cast<std::int64_t>(size);
        }
        type = strip_type(composite->getBaseType());
        continue;
      }
      const llvm::DIType* found = nullptr;
      for (const llvm::DINode* node : composite->getElements()) {
        const auto* member = dyn_cast<llvm::DIDerivedType>(node);
        if (!member || member->isStaticMember()) continue;
        const auto from = static_cast<std::int64_t>(member->getOffsetInBits() / 8);
        const auto bytes = static_cast<std::int64_t>(member->getSizeInBits() / 8);
        if (member->getTag() != llvm::dwarf::DW_TAG_member &&
            member->getTag() != llvm::dwarf::DW_TAG_inheritance) {
          continue;
        }
        if (byte < from || byte >= from + bytes) continue;
        byte -= from;
        found = strip_type(member->getBaseType());
        break;
      }
      if (!found) return std::nullopt;
      type = found;
    }
    return std::nullopt;
  }

  /// The type of a function's own parameter; null if it is unknown.
  static const llvm::DIType* type_of(llvm::Argument& argument) {
    const llvm::DISubprogram* function = argument.getParent()->getSubprogram();
    llvm::SmallVector<llvm::DbgVariableRecord*> records;
    llvm::SmallVector<llvm::DbgVariableIntrinsic*> intrinsics;
    llvm::findDbgUsers(intrinsics, &argument, &records);
    for (const llvm::DbgVariableRecord* record : records) {
      const llvm::DILocalVariable& variable = *record->getVariable();
      if (variable.isParameter() && variable.getScope() == function &&
          record->getExpression()->getNumElements() == 0 &&
          !record->getDebugLoc()->getInlinedAt()) {
        return variable.getType();
      }
    }
    return nullptr;
  }

  Elements at(std::uint64_t count, std::uint64_t size, std::int64_t byte) const {
    const auto whole = static_cast<std::int64_t>(size);
    const std::int64_t sum = byte + after_;
    return {count, sum >= 0 ? sum / whole : -((whole - 1 - sum) / whole)};
  }

  const llvm::DataLayout& layout_;
  const llvm::Value* object_ = nullptr;
  bool is_known_ = true;
  std::vector<llvm::Value*> indices_;
  std::uint64_t size_ = 0;        ///< of an element; 0 if nothing varies
  std::int64_t before_ = 0;       ///< bytes from the object's start to where the address varies
  std::int64_t after_ = 0;        ///< and from there on
  llvm::Type* type_ = nullptr;    ///< of the object, or of a part of it
  std::int64_t type_begins_ = 0;  ///< bytes from the object's start
  const llvm::DIType* source_type_ = nullptr;  ///< of a parameter
};

}  // namespace

void test_walked_elements(llvm::Function& function) {
  mark_accesses(function);
  if (marks(function).empty()) return;
  tidy(function);
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  for (llvm::CallInst* access : marks(function)) {
    const WalkedAddress start(*access->getArgOperand(1), layout);
    const auto* step = llvm::cast<llvm::ConstantInt>(access->getArgOperand(2));
    WalkedAddress(*access->getArgOperand(0), layout).test(*access, start, step->getZExtValue());
    access->eraseFromParent();
  }
}

}  // namespace systole::compiler
