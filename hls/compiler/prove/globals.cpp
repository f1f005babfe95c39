#include "hls/compiler/prove/globals.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GlobalVariable.h>

#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

void write(const llvm::Constant& value, const llvm::DataLayout& layout, std::uint64_t byte,
           Bits& bits) {
  if (value.isNullValue() || llvm::isa<llvm::UndefValue>(value)) return;
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&value)) {
    for (unsigned i = 0; i < number->getBitWidth(); ++i) {
      bits.at(8 * byte + i) = number->getValue()[i] ? kTrue : kFalse;
    }
    return;
  }
  llvm::Type* type = value.getType();
  if (auto* record = llvm::dyn_cast<llvm::StructType>(type)) {
    const llvm::StructLayout* fields = layout.getStructLayout(record);
    for (unsigned i = 0; i < record->getNumElements(); ++i) {
      write(*value.getAggregateElement(i), layout, byte + fields->getElementOffset(i), bits);
    }
    return;
  }
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    const std::uint64_t stride = layout.getTypeAllocSize(array->getElementType());
    for (unsigned i = 0; i < array->getNumElements(); ++i) {
      write(*value.getAggregateElement(i), layout, byte + i * stride, bits);
    }
    return;
  }
  throw Refusal("a table of a proof holds integers only; use UInt, Int or bool");
}

}  // namespace

int Globals::object(const llvm::GlobalVariable& global, const llvm::DataLayout& layout, int& last) {
  if (const auto found = objects_.find(&global); found != objects_.end()) return found->second;
  if (!global.isConstant() || !global.hasDefinitiveInitializer()) {
    throw Refusal(
        fmt::format("no proof covers the variable {}; make it constexpr", global.getName().str()));
  }
  MemoryObject content;
  content.bits = Bits(8 * layout.getTypeAllocSize(global.getValueType()), kFalse);
  content.writable = false;
  write(*global.getInitializer(), layout, 0, content.bits);
  const int object = ++last;
  contents_[object] = std::move(content);
  return objects_[&global] = object;
}

}  // namespace systole::compiler
