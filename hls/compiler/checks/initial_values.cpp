#include "hls/compiler/checks/initial_values.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <set>

#include "hls/compiler/analyses/address.h"
#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/passes/exact_widths.h"
#include "hls/compiler/passes/inline_marked.h"
#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

/// The leaves that an edge accesses by either operation.
std::set<int> touched(const llvm::Function* edge, Operation whole, Operation element) {
  std::set<int> leaves;
  if (!edge) return leaves;
  for (const llvm::Instruction& instruction : llvm::instructions(*edge)) {
    if (is_operation(instruction, whole) || is_operation(instruction, element)) {
      leaves.insert(leaf_of(instruction));
    }
  }
  return leaves;
}

/// Where the instruction writes something other than zeros; null if it does not.
llvm::Value* place_of_value(llvm::Instruction& instruction) {
  const auto is_zero = [](const llvm::Value* value) {
    const auto* constant = llvm::dyn_cast<llvm::Constant>(value);
    return constant && (constant->isNullValue() || llvm::isa<llvm::UndefValue>(constant));
  };
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    return is_zero(store->getValueOperand()) ? nullptr : store->getPointerOperand();
  }
  if (auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&instruction)) {
    return is_zero(fill->getValue()) ? nullptr : fill->getDest();
  }
  if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction)) {
    const auto* from = llvm::dyn_cast<llvm::GlobalVariable>(copy->getSource());
    const bool zeros = from && from->hasInitializer() && from->getInitializer()->isNullValue();
    return zeros ? nullptr : copy->getDest();
  }
  return nullptr;
}

}  // namespace

std::string constructor_of(const llvm::Module& program, const llvm::DICompositeType& type) {
  const llvm::StringRef name = type.getName().take_until([](char c) { return c == '<'; });
  for (const llvm::Function& function : program) {
    const llvm::DISubprogram* subprogram = function.getSubprogram();
    if (subprogram && function.arg_size() == 1 && class_of(subprogram) == &type &&
        subprogram->getName().take_until([](char c) { return c == '<'; }) == name) {
      return function.getName().str();
    }
  }
  return "";
}

void check_initial_values(llvm::Module& program, const std::string& constructor,
                          const LoweredModule& module) {
  llvm::Function& function = *program.getFunction(constructor);
  for (llvm::Function& one : program) exact_widths(one);
  mark_for_inlining(program, {&function});
  inline_marked(program);
  tidy(function);
  const std::set<int> read = touched(module.clock, Operation::kReadRegister, Operation::kLoad);
  const std::set<int> reset = touched(module.reset, Operation::kWriteRegister, Operation::kStore);
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    llvm::Value* pointer = place_of_value(instruction);
    if (!pointer) continue;
    const int leaf =
        leaf_of_pointer(*pointer, *function.getArg(0), module.state, program.getDataLayout());
    if (leaf < 0 || read.count(leaf) == 0 || reset.count(leaf) != 0) continue;
    const Leaf& one = module.state[leaf];
    throw Refusal(fmt::format(
        "{}: '{}' starts with this value in C++ and unknown in hardware, which has no other start "
        "than a reset; set it in reset(), or make it a static constexpr",
        one.position, one.name));
  }
}

}  // namespace systole::compiler
