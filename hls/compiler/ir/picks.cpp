#include "hls/compiler/ir/picks.h"

#include <fmt/format.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Support/ModRef.h>

#include <algorithm>

namespace systole::compiler {
namespace {

/// A table of host integers holds as many bits as its values need.
unsigned bits_needed(const std::vector<llvm::Value*>& elements, bool& is_signed) {
  unsigned bits = 1;
  is_signed = false;
  for (const llvm::Value* element : elements) {
    is_signed = is_signed || llvm::cast<llvm::ConstantInt>(element)->isNegative();
  }
  for (const llvm::Value* element : elements) {
    const llvm::APInt& value = llvm::cast<llvm::ConstantInt>(element)->getValue();
    bits = std::max(bits, is_signed ? value.getSignificantBits() : value.getActiveBits());
  }
  return bits;
}

bool all_constant(const std::vector<llvm::Value*>& elements) {
  return std::all_of(elements.begin(), elements.end(),
                     [](const auto* one) { return llvm::isa<llvm::ConstantInt>(one); });
}

}  // namespace

llvm::Value* emit_pick(llvm::IRBuilderBase& builder, const std::string& name, llvm::Value* index,
                       const std::vector<llvm::Value*>& elements) {
  llvm::Type* type = elements[0]->getType();
  const unsigned index_bits = std::max(1u, llvm::Log2_64_Ceil(elements.size()));
  index = builder.CreateZExtOrTrunc(index, builder.getIntNTy(index_bits));
  bool is_signed = false;
  if (all_constant(elements)) {
    const unsigned bits = bits_needed(elements, is_signed);
    if (bits < type->getIntegerBitWidth()) {
      std::vector<llvm::Value*> narrow;
      for (llvm::Value* element : elements) {
        narrow.push_back(builder.CreateTrunc(element, builder.getIntNTy(bits)));
      }
      llvm::Value* value = emit_pick(builder, name, index, narrow);
      return is_signed ? builder.CreateSExt(value, type) : builder.CreateZExt(value, type);
    }
  }
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  std::vector<llvm::Type*> types = {index->getType()};
  std::vector<llvm::Value*> arguments = {index};
  for (llvm::Value* element : elements) {
    types.push_back(type);
    arguments.push_back(element);
  }
  auto* signature = llvm::FunctionType::get(type, types, false);
  const std::string callee = fmt::format("pick.{}.i{}_{}_{}", name, type->getIntegerBitWidth(),
                                         index->getType()->getIntegerBitWidth(), elements.size());
  auto* function =
      llvm::cast<llvm::Function>(module.getOrInsertFunction(callee, signature).getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  function->addFnAttr(llvm::Attribute::Speculatable);
  function->setMemoryEffects(llvm::MemoryEffects::none());
  return builder.CreateCall(signature, function, arguments);
}

const llvm::CallInst* as_pick(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with("pick.") ? call : nullptr;
}

bool is_look_up(const llvm::CallInst& pick) {
  return std::all_of(pick.arg_begin() + 1, pick.arg_end(),
                     [](const auto& one) { return llvm::isa<llvm::ConstantInt>(one.get()); });
}

std::string pick_name(const llvm::CallInst& pick) {
  return pick.getCalledFunction()->getName().split('.').second.split('.').first.str();
}

llvm::APInt constant_at(const llvm::GlobalVariable& table, std::int64_t byte, unsigned width) {
  const llvm::DataLayout& layout = table.getParent()->getDataLayout();
  llvm::Type* octet = llvm::Type::getInt8Ty(table.getContext());
  auto* initializer = const_cast<llvm::Constant*>(table.getInitializer());
  llvm::APInt bits(std::max(width, 8u) + 8, 0);
  for (unsigned low = 0; low < width; low += 8) {
    const llvm::APInt offset(64, static_cast<std::uint64_t>(byte) + low / 8);
    const auto* part = llvm::dyn_cast_or_null<llvm::ConstantInt>(
        llvm::ConstantFoldLoadFromConst(initializer, octet, offset, layout));
    if (part) bits.insertBits(part->getValue(), low);
  }
  return bits.trunc(width);
}

}  // namespace systole::compiler
