#include "hls/compiler/ir/enum_values.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instruction.h>

#include "hls/compiler/support/source.h"

namespace systole::compiler {

llvm::Value* value_in_memory(llvm::IRBuilderBase& builder, llvm::Value* value, const Leaf& leaf) {
  if (!leaf.is_enum()) return value;
  llvm::Type* type = builder.getIntNTy(leaf.memory_width());
  return enum_shape(leaf.type).is_signed ? builder.CreateSExt(value, type)
                                         : builder.CreateZExt(value, type);
}

llvm::Value* value_in_hardware(llvm::IRBuilderBase& builder, llvm::Value* value, const Leaf& leaf,
                               RangeChecks& checks) {
  if (!leaf.is_enum() || leaf.width == leaf.memory_width()) return value;
  const std::uint64_t limit = std::uint64_t{1} << leaf.width;
  llvm::Value* from_zero = value;
  if (enum_shape(leaf.type).is_signed) {
    from_zero = builder.CreateAdd(value, llvm::ConstantInt::get(value->getType(), limit / 2));
  }
  const auto* from = llvm::dyn_cast<llvm::Instruction>(value);
  if (from && from->getDebugLoc()) builder.SetCurrentDebugLocation(from->getDebugLoc());
  checks.require(builder, from_zero, limit,
                 fmt::format("'{}' gets a value that the {} bits of {} may not hold; cast it from "
                             "{}<{}>, or choose between enumerators",
                             without_underscore(leaf.name), leaf.width, leaf.type->getName().str(),
                             enum_shape(leaf.type).is_signed ? "an Int" : "a UInt", leaf.width));
  return builder.CreateTrunc(value, builder.getIntNTy(leaf.width));
}

}  // namespace systole::compiler
