#include "hls/compiler/passes/drop_unreachable_states.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <functional>
#include <set>
#include <vector>

#include "hls/compiler/ir/lowered_thread.h"
#include "hls/compiler/ir/operations.h"

namespace systole::compiler {
namespace {

/// Calls `each` for every number that the value can be; false if it is more than a select of
/// constants.
bool for_each_number(const llvm::Value& value, const std::function<void(std::uint64_t)>& each) {
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&value)) {
    each(constant->getZExtValue());
    return true;
  }
  const auto* select = llvm::dyn_cast<llvm::SelectInst>(&value);
  return select && for_each_number(*select->getTrueValue(), each) &&
         for_each_number(*select->getFalseValue(), each);
}

/// The same select with renumbered states.
llvm::Value* renumbered(llvm::Value& value, const std::vector<std::uint64_t>& numbers,
                        llvm::IRBuilder<>& builder) {
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&value)) {
    return llvm::ConstantInt::get(value.getType(), numbers.at(constant->getZExtValue()));
  }
  auto& select = llvm::cast<llvm::SelectInst>(value);
  return builder.CreateSelect(select.getCondition(),
                              renumbered(*select.getTrueValue(), numbers, builder),
                              renumbered(*select.getFalseValue(), numbers, builder));
}

std::vector<llvm::CallInst*> state_stores(llvm::Function& edge, int state_register) {
  std::vector<llvm::CallInst*> stores;
  for (llvm::Instruction& instruction : llvm::instructions(edge)) {
    if (is_operation(instruction, Operation::kStore) && leaf_of(instruction) == state_register) {
      stores.push_back(llvm::cast<llvm::CallInst>(&instruction));
    }
  }
  return stores;
}

}  // namespace

void drop_unreachable_states(LoweredThread& thread) {
  const int state_register = thread.state_register();
  std::set<std::uint64_t> reached;
  std::vector<llvm::Function*> open = {thread.reset};
  while (!open.empty()) {
    llvm::Function* edge = open.back();
    open.pop_back();
    for (const llvm::CallInst* store : state_stores(*edge, state_register)) {
      const bool known = for_each_number(*store->getArgOperand(2), [&](std::uint64_t next) {
        if (reached.insert(next).second) open.push_back(thread.states.at(next).edge);
      });
      if (!known) return;
    }
  }
  if (reached.size() == thread.states.size()) return;
  std::vector<std::uint64_t> numbers(thread.states.size());
  std::vector<ThreadState> kept;
  for (const std::uint64_t old : reached) {
    numbers[old] = kept.size();
    kept.push_back(thread.states[old]);
  }
  thread.states = kept;
  for (llvm::Function* edge : thread.edges()) {
    for (llvm::CallInst* store : state_stores(*edge, state_register)) {
      llvm::IRBuilder<> builder(store);
      store->setArgOperand(2, renumbered(*store->getArgOperand(2), numbers, builder));
    }
  }
}

}  // namespace systole::compiler
