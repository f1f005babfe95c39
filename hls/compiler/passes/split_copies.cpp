#include "hls/compiler/passes/split_copies.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
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
constexpr std::uint64_t kMostBytes = 16;  ///< of an integer that clang writes as one

/// Whether a class has a member of its own at this offset.
bool has_member(const llvm::DICompositeType* type, std::uint64_t offset) {
  for (const llvm::DINode* element : type->getElements()) {
    const auto* member = llvm::dyn_cast<llvm::DIDerivedType>(element);
    if (member && !member->isStaticMember() && member->getOffsetInBits() == 8 * offset) return true;
  }
  return false;
}

bool is_bytes(const llvm::Type& type) {
  return type.isArrayTy() && type.getArrayElementType()->isIntegerTy(8);
}

/// The bytes of a type that has nothing else, and 0 for another: so clang writes a constant of more
/// than 128 bits.
std::uint64_t bytes_of(const llvm::Type& type) {
  if (type.isIntegerTy(8)) return 1;
  if (type.isArrayTy()) return type.getArrayNumElements() * bytes_of(*type.getArrayElementType());
  const auto* record = llvm::dyn_cast<llvm::StructType>(&type);
  if (!record || !record->isPacked() || !record->isLiteral()) return 0;
  std::uint64_t bytes = 0;
  for (const llvm::Type* element : record->elements()) {
    if (bytes_of(*element) == 0) return 0;
    bytes += bytes_of(*element);
  }
  return bytes;
}

llvm::Type* integer_of(const llvm::Type& bytes) {
  return llvm::IntegerType::get(bytes.getContext(), static_cast<unsigned>(8 * bytes_of(bytes)));
}

/// The name of a class in the source, without its template's arguments: `systole::hls::UInt`.
llvm::StringRef class_name(const llvm::Type& type) {
  const auto* record = llvm::dyn_cast<llvm::StructType>(&type);
  if (!record || !record->hasName()) return "";
  llvm::StringRef name = record->getName();
  if (!name.consume_front("class.") && !name.consume_front("struct.")) return "";
  return name.take_until([](char c) { return c == '.'; });
}

/// Whether this is one of int.h's types, whose arrays of bytes are wide integers.
bool holds_wide_integers(const llvm::Type& type) {
  llvm::StringRef name = class_name(type);
  return name.consume_front("systole::hls::") &&
         (name == "UInt" || name == "Int" || name == "Divisor");
}

/// The class that a method belongs to, if the type is that class.
const llvm::DICompositeType* own_class(const llvm::Function& method, const llvm::StructType& type) {
  const llvm::DISubprogram* function = method.getSubprogram();
  const auto* own =
      function ? llvm::dyn_cast_or_null<llvm::DICompositeType>(function->getScope()) : nullptr;
  if (!own) return nullptr;
  const llvm::StringRef name = own->getName().take_until([](char c) { return c == '<'; });
  const llvm::StringRef last = class_name(type).rsplit("::").second;
  return name == (last.empty() ? class_name(type) : last) ? own : nullptr;
}

/// Every scalar of a type; false if there are too many. In a packed struct clang writes some
/// padding as an array of bytes: skips those that are not in `described`, the class in the source,
/// if that is known. Values may be arrays of bytes, too, such as wide ones in a constant.
bool members_of(llvm::Type* type, std::uint64_t offset, const llvm::DataLayout& layout,
                const llvm::DICompositeType* described, std::vector<Member>& members) {
  if (type->isStructTy() && bytes_of(*type) > kMostBytes) {
    members.push_back({offset, integer_of(*type)});
    return true;
  }
  if (auto* composite = llvm::dyn_cast<llvm::StructType>(type)) {
    const llvm::StructLayout& places = *layout.getStructLayout(composite);
    for (unsigned i = 0; i < composite->getNumElements(); ++i) {
      llvm::Type* element = composite->getElementType(i);
      const std::uint64_t at = places.getElementOffset(i).getFixedValue();
      const bool is_padding = described && composite->isPacked() && is_bytes(*element);
      if (is_padding && !has_member(described, at)) continue;
      if (holds_wide_integers(*type) && bytes_of(*element) > kMostBytes) {
        members.push_back({offset + at, integer_of(*element)});
        continue;
      }
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
  if (!place) return {};
  const llvm::DICompositeType* described = own_class(*copy.getFunction(), *place->type);
  if (!members_of(place->type, 0, layout, described, all)) return {};
  std::vector<Member> copied;
  for (const Member& member : all) {
    if (member.offset < place->offset) continue;
    const std::uint64_t offset = member.offset - place->offset;
    const std::uint64_t end = offset + layout.getTypeStoreSize(member.type).getFixedValue();
    if (end <= size->getZExtValue()) copied.push_back({offset, member.type});
  }
  return copied;
}

/// A constant's bytes from `member.offset` on, as one value.
llvm::Constant* constant_part(llvm::Constant& whole, const Member& member,
                              const llvm::DataLayout& layout) {
  const std::uint64_t bytes = layout.getTypeStoreSize(member.type).getFixedValue();
  llvm::APInt value(static_cast<unsigned>(8 * bytes), 0);
  bool is_set = false;
  for (std::uint64_t i = 0; i < bytes; ++i) {
    const llvm::APInt at(64, member.offset + i);
    auto* byte = llvm::ConstantFoldLoadFromConst(&whole, llvm::Type::getInt8Ty(whole.getContext()),
                                                 at, layout);
    const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(byte);
    is_set = is_set || number;
    if (number) value.insertBits(number->getValue(), static_cast<unsigned>(8 * i));
  }
  if (!is_set) return llvm::UndefValue::get(member.type);
  return llvm::ConstantInt::get(member.type, value.trunc(member.type->getIntegerBitWidth()));
}

/// A store of a whole constant becomes one for each scalar.
void split_store(llvm::StoreInst& store, const llvm::DataLayout& layout) {
  auto* whole = llvm::dyn_cast<llvm::Constant>(store.getValueOperand());
  if (!whole || store.isVolatile() || whole->getType()->isSingleValueType()) return;
  std::vector<Member> members;
  const auto place = place_of(store.getPointerOperand(), layout);
  if (place && holds_wide_integers(*place->type) && bytes_of(*whole->getType()) > kMostBytes) {
    members = {{0, integer_of(*whole->getType())}};
  } else if (!members_of(whole->getType(), 0, layout, nullptr, members)) {
    return;
  }
  llvm::IRBuilder<> builder(&store);
  builder.SetCurrentDebugLocation(store.getDebugLoc());
  for (const Member& member : members) {
    llvm::Constant* value = constant_part(*whole, member, layout);
    if (llvm::isa<llvm::UndefValue>(value)) continue;
    builder.CreateAlignedStore(value,
                               builder.CreateConstInBoundsGEP1_64(
                                   builder.getInt8Ty(), store.getPointerOperand(), member.offset),
                               llvm::Align(1));
  }
  store.eraseFromParent();
}

}  // namespace

void split_copies(llvm::Function& function) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) split_store(*store, layout);
  }
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
