#include "hls/compiler/passes/split_copies.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <optional>
#include <vector>

namespace systole::compiler {
namespace {

/// A scalar of a struct, in bytes from its start.
struct Member {
  std::uint64_t offset = 0;
  llvm::Type* type = nullptr;
};

constexpr std::size_t kMostMembers = 256;

/// Whether a class has a member of its own at this offset.
bool has_member(const llvm::DICompositeType* type, std::uint64_t offset) {
  if (!type) return false;
  for (const llvm::DINode* element : type->getElements()) {
    const auto* member = llvm::dyn_cast<llvm::DIDerivedType>(element);
    if (member && !member->isStaticMember() && member->getOffsetInBits() == 8 * offset) return true;
  }
  return false;
}

/// Every scalar of a type; false if there are too many. In a packed struct clang writes some
/// padding as an array of bytes: skips whatever is not in `described`, the class in the source.
bool members_of(llvm::Type* type, std::uint64_t offset, const llvm::DataLayout& layout,
                const llvm::DICompositeType* described, std::vector<Member>& members) {
  if (auto* composite = llvm::dyn_cast<llvm::StructType>(type)) {
    const llvm::StructLayout& places = *layout.getStructLayout(composite);
    for (unsigned i = 0; i < composite->getNumElements(); ++i) {
      llvm::Type* element = composite->getElementType(i);
      const std::uint64_t at = places.getElementOffset(i).getFixedValue();
      if (composite->isPacked() && element->isArrayTy() && !has_member(described, at)) continue;
      if (!members_of(element, offset + at, layout, nullptr, members)) return false;
    }
    return true;
  }
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    const std::uint64_t size = layout.getTypeAllocSize(array->getElementType()).getFixedValue();
    for (std::uint64_t i = 0; i < array->getNumElements(); ++i) {
      if (!members_of(array->getElementType(), offset + i * size, layout, nullptr, members)) {
        return false;
      }
    }
    return true;
  }
  members.push_back({offset, type});
  return type->isIntegerTy() && members.size() <= kMostMembers;
}

/// The struct that a pointer points into, and where, if known.
struct Place {
  llvm::StructType* type = nullptr;
  std::uint64_t offset = 0;
};

std::optional<Place> place_of(llvm::Value* pointer, const llvm::DataLayout& layout) {
  if (const auto* local = llvm::dyn_cast<llvm::AllocaInst>(pointer)) {
    auto* type = llvm::dyn_cast<llvm::StructType>(local->getAllocatedType());
    return type ? std::optional<Place>({type, 0}) : std::nullopt;
  }
  auto* step = llvm::dyn_cast<llvm::GEPOperator>(pointer);
  auto* type = step ? llvm::dyn_cast<llvm::StructType>(step->getSourceElementType()) : nullptr;
  llvm::APInt offset(64, 0);
  if (!type || !step->accumulateConstantOffset(layout, offset)) return std::nullopt;
  return Place{type, offset.getZExtValue()};
}

/// The members that a copy touches, from its first byte; none if unknown.
std::vector<Member> members_copied(const llvm::MemCpyInst& copy, const llvm::DataLayout& layout) {
  const auto* size = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
  if (!size || copy.isVolatile()) return {};
  auto place = place_of(copy.getRawDest(), layout);
  if (!place) place = place_of(copy.getRawSource(), layout);
  std::vector<Member> all;
  const llvm::DISubprogram* function = copy.getFunction()->getSubprogram();
  const auto* described =
      function ? llvm::dyn_cast_or_null<llvm::DICompositeType>(function->getScope()) : nullptr;
  if (!place || !members_of(place->type, 0, layout, described, all)) return {};
  std::vector<Member> copied;
  for (const Member& member : all) {
    if (member.offset < place->offset) continue;
    const std::uint64_t offset = member.offset - place->offset;
    const std::uint64_t end = offset + layout.getTypeStoreSize(member.type).getFixedValue();
    if (end <= size->getZExtValue()) copied.push_back({offset, member.type});
  }
  return copied;
}

}  // namespace

void split_copies(llvm::Function& function) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  std::vector<llvm::MemCpyInst*> copies;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(&instruction)) copies.push_back(copy);
  }
  for (llvm::MemCpyInst* copy : copies) {
    const std::vector<Member> members = members_copied(*copy, layout);
    if (members.empty()) continue;
    llvm::IRBuilder<> builder(copy);
    builder.SetCurrentDebugLocation(copy->getDebugLoc());
    for (const Member& member : members) {
      const auto at = [&](llvm::Value* base) {
        return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, member.offset);
      };
      llvm::Value* value =
          builder.CreateAlignedLoad(member.type, at(copy->getRawSource()), llvm::Align(1));
      builder.CreateAlignedStore(value, at(copy->getRawDest()), llvm::Align(1));
    }
    copy->eraseFromParent();
  }
}

}  // namespace systole::compiler
