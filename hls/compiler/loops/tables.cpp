#include "hls/compiler/loops/tables.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "hls/compiler/ir/picks.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

std::string name_of(const llvm::GlobalVariable& table) {
  llvm::SmallVector<llvm::DIGlobalVariableExpression*> described;
  table.getDebugInfo(described);
  return described.empty() ? "table" : described.front()->getVariable()->getName().str();
}

}  // namespace

llvm::Value* table_element(llvm::IRBuilderBase& builder, const Address& where, unsigned width) {
  const auto& table = *llvm::cast<llvm::GlobalVariable>(where.base);
  const auto bytes = static_cast<std::int64_t>(
      table.getParent()->getDataLayout().getTypeAllocSize(table.getValueType()).getFixedValue());
  std::int64_t start = where.field_bytes;
  std::vector<Address::Index> steps;
  for (const Address::Index& step : where.indices) {
    if (step.value) {
      steps.push_back(step);
    } else {
      start += step.constant * step.stride_bytes;
    }
  }
  std::sort(steps.begin(), steps.end(),
            [](const auto& a, const auto& b) { return a.stride_bytes > b.stride_bytes; });
  // The elements in the order of one index made of all steps.
  llvm::Type* index_type = builder.getInt64Ty();
  llvm::Value* index = llvm::ConstantInt::get(index_type, 0);
  std::vector<std::int64_t> places = {start};
  for (const Address::Index& step : steps) {
    const std::int64_t count = step.count > 0
                                   ? step.count
                                   : std::max<std::int64_t>(1, (bytes - start) / step.stride_bytes);
    index = builder.CreateMul(index, llvm::ConstantInt::get(index_type, count));
    index = builder.CreateAdd(index, builder.CreateZExtOrTrunc(step.value, index_type));
    std::vector<std::int64_t> next;
    for (const std::int64_t place : places) {
      for (std::int64_t i = 0; i < count; ++i) next.push_back(place + i * step.stride_bytes);
    }
    places = std::move(next);
  }
  std::vector<llvm::Value*> elements;
  for (const std::int64_t place : places) {
    elements.push_back(
        llvm::ConstantInt::get(builder.getContext(), constant_at(table, place, width)));
  }
  return elements.size() == 1 ? elements.front()
                              : emit_pick(builder, name_of(table), index, elements);
}

llvm::Value* read_table(llvm::LoadInst& load, const Address& where) {
  const auto* table = llvm::cast<llvm::GlobalVariable>(where.base);
  if (!table->isConstant() || !table->hasInitializer()) {
    refuse(load,
           "this is a static or global variable; pass it as a parameter, or make it constant");
  }
  llvm::IRBuilder<> builder(&load);
  return table_element(builder, where, load.getType()->getIntegerBitWidth());
}

}  // namespace systole::compiler
