#include "hls/compiler/loops/tables.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "hls/compiler/ir/picks.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

std::string name_of(const llvm::GlobalVariable& table) {
  llvm::SmallVector<llvm::DIGlobalVariableExpression*> described;
  table.getDebugInfo(described);
  return described.empty() ? "table" : described.front()->getVariable()->getName().str();
}

/// All steps of one stride: an index, and a walk from there.
struct Steps {
  llvm::Value* index = nullptr;
  std::int64_t count = 0;  ///< of the places that it leads to; 0 if unknown
};

}  // namespace

llvm::Value* table_element(llvm::IRBuilderBase& builder, const Address& where, unsigned width) {
  const auto& table = *llvm::cast<llvm::GlobalVariable>(where.base);
  const auto bytes = static_cast<std::int64_t>(
      table.getParent()->getDataLayout().getTypeAllocSize(table.getValueType()).getFixedValue());
  llvm::Type* index_type = builder.getInt64Ty();
  std::int64_t start = where.field_bytes;
  std::map<std::int64_t, Steps, std::greater<>> steps;  // by their stride
  for (const Address::Index& one : where.indices) {
    if (!one.value) {
      start += one.constant * one.stride_bytes;
      continue;
    }
    Steps& step = steps[one.stride_bytes];
    llvm::Value* index = builder.CreateZExtOrTrunc(one.value, index_type);
    step.index = step.index ? builder.CreateAdd(step.index, index) : index;
    if (one.count > 0) step.count = one.count;
  }
  // The elements in the order of one index made of all steps.
  llvm::Value* index = llvm::ConstantInt::get(index_type, 0);
  std::vector<std::int64_t> places = {start};
  for (auto& [stride, step] : steps) {
    if (step.count == 0) {
      // A walk may lead down from where it starts.
      const std::int64_t before = start / stride;
      for (std::int64_t& place : places) place -= before * stride;
      step.index = builder.CreateAdd(step.index, llvm::ConstantInt::get(index_type, before));
      step.count = std::max<std::int64_t>(1, (bytes - start % stride) / stride);
      start %= stride;
    }
    index = builder.CreateMul(index, llvm::ConstantInt::get(index_type, step.count));
    index = builder.CreateAdd(index, step.index);
    std::vector<std::int64_t> next;
    for (const std::int64_t place : places) {
      for (std::int64_t i = 0; i < step.count; ++i) next.push_back(place + i * stride);
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
