#include "hls/compiler/checks/walked_elements.h"

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

/// Marks the accesses through pointers, of which tidy() makes indices.
void mark_accesses(llvm::Function& function) {
  std::vector<llvm::Instruction*> accesses;
  bool any_steps = false;
  for (llvm::Instruction& one : llvm::instructions(function)) {
    any_steps = any_steps || steps_pointer(one);
    const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&one);
    if (pointer && llvm::isa<llvm::LoadInst>(pointer->stripInBoundsOffsets()) &&
        !is_constructed(pointer)) {
      accesses.push_back(&one);
    }
  }
  if (!any_steps) return;
  llvm::LLVMContext& context = function.getContext();
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                       {llvm::PointerType::getUnqual(context)}, false);
  auto* mark = llvm::cast<llvm::Function>(
      function.getParent()->getOrInsertFunction(kAccess, type).getCallee());
  mark->setDoesNotThrow();
  mark->setWillReturn();
  mark->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
  mark->addParamAttr(0, llvm::Attribute::NoCapture);
  mark->addParamAttr(0, llvm::Attribute::ReadNone);
  for (llvm::Instruction* access : accesses) {
    llvm::IRBuilder<> builder(access);
    builder.CreateCall(mark, {llvm::getLoadStorePointerOperand(access)});
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
class Address {
 public:
  Address(llvm::Value& pointer, const llvm::DataLayout& layout) : layout_(layout) {
    llvm::Value* at = &pointer;
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
      if (step->getNumIndices() > 1) type_ = step->getSourceElementType();
      at = step->getPointerOperand();
    }
    if (const auto* local = dyn_cast<llvm::AllocaInst>(at)) type_ = local->getAllocatedType();
    if (const auto* global = dyn_cast<llvm::GlobalVariable>(at)) type_ = global->getValueType();
    if (auto* argument = dyn_cast<llvm::Argument>(at)) source_type_ = type_of(*argument);
  }

  /// Before `access`, a test of its element.
  void test(llvm::CallInst& access) const {
    const std::optional<Elements> array = elements();
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
    std::int64_t byte = before_;
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
      if (variable.getScope() == function && record->getExpression()->getNumElements() == 0 &&
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
  bool is_known_ = true;
  std::vector<llvm::Value*> indices_;
  std::uint64_t size_ = 0;   ///< of an element; 0 if nothing varies
  std::int64_t before_ = 0;  ///< bytes from the object's start to where the address varies
  std::int64_t after_ = 0;   ///< and from there on
  llvm::Type* type_ = nullptr;
  const llvm::DIType* source_type_ = nullptr;  ///< of a parameter
};

}  // namespace

void test_walked_elements(llvm::Function& function) {
  mark_accesses(function);
  if (marks(function).empty()) return;
  tidy(function);
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  for (llvm::CallInst* access : marks(function)) {
    Address(*access->getArgOperand(0), layout).test(*access);
    access->eraseFromParent();
  }
}

}  // namespace systole::compiler
