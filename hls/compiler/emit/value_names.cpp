#include "hls/compiler/emit/value_names.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "hls/compiler/emit/expression.h"
#include "hls/compiler/passes/operations.h"
#include "hls/compiler/passes/wiring.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

const char* role_of(const llvm::Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Add:
      return "sum";
    case llvm::Instruction::Sub:
      return "difference";
    case llvm::Instruction::Mul:
      return "product";
    case llvm::Instruction::And:
      return "and";
    case llvm::Instruction::Or:
      return "or";
    case llvm::Instruction::Xor:
      return "xor";
    case llvm::Instruction::ICmp:
      return "test";
    case llvm::Instruction::Select:
      return "choice";
    case llvm::Instruction::Shl:
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
      return "shifted";
    case llvm::Instruction::PHI:
      return "choice";
    default:
      return "part";
  }
}

/// The user's variable whose declaration this instruction is part of: the last one declared at or
/// above its line in the same function. Optimised code keeps no better trace of a local value.
const llvm::DILocalVariable* statement_of(const llvm::Instruction& instruction) {
  const llvm::DILocation* at = user_location(instruction.getDebugLoc());
  if (!at) return nullptr;
  const llvm::DISubprogram* subprogram = at->getScope()->getSubprogram();
  const llvm::DILocalVariable* best = nullptr;
  for (const llvm::DINode* node : subprogram->getRetainedNodes()) {
    const auto* variable = llvm::dyn_cast<llvm::DILocalVariable>(node);
    if (!variable || variable->getArg() != 0 || variable->getLine() > at->getLine()) continue;
    if (llvm::isa_and_nonnull<llvm::DIBasicType>(variable->getType())) continue;  // a loop's int
    if (!best || variable->getLine() >= best->getLine()) best = variable;
  }
  // A statement is a few lines; further away it belongs to no variable.
  return best && at->getLine() - best->getLine() <= 8 ? best : nullptr;
}

}  // namespace

std::map<const llvm::Value*, std::string> value_names(llvm::Function& function) {
  std::map<const llvm::Value*, std::string> names;
  std::map<const llvm::Instruction*, const llvm::DILocalVariable*> statements;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!instruction.getType()->isIntegerTy()) continue;
    statements[&instruction] = statement_of(instruction);
  }
  for (const auto& [instruction, statement] : statements) {
    std::string name =
        without_underscore(variable_name(*const_cast<llvm::Instruction*>(instruction)));
    if (name.empty() && statement) {
      // The value of the statement is what other statements use; the rest is on the way to it.
      bool is_value = false;
      for (const llvm::User* user : instruction->users()) {
        const auto other = statements.find(llvm::cast<llvm::Instruction>(user));
        is_value = is_value || other == statements.end() || other->second != statement;
      }
      name = without_underscore(statement->getName().str());
      if (!is_value) name += std::string("_") + role_of(*instruction);
    }
    names[instruction] = name.empty() ? std::string("value_") + role_of(*instruction) : name;
  }
  return names;
}

/// Whether wires alone carry the value to several places.
static bool is_shared(const llvm::Instruction& instruction) {
  if (!instruction.hasOneUse()) return true;
  const auto& user = *llvm::cast<llvm::Instruction>(*instruction.user_begin());
  return is_wiring(user) && is_shared(user);
}

/// The test of a guarded shift, which the shift's own text does without.
static bool only_guards(const llvm::Instruction& instruction) {
  for (const llvm::User* user : instruction.users()) {
    GuardedShift guarded;
    const auto* select = llvm::dyn_cast<llvm::SelectInst>(user);
    if (!select || select->getCondition() != &instruction || !is_guarded_shift(*select, guarded)) {
      return false;
    }
  }
  return true;
}

bool deserves_signal(llvm::Instruction& instruction, const std::string& variable) {
  if (!instruction.getType()->isIntegerTy() || only_guards(instruction)) return false;
  GuardedShift guarded;
  if (is_guarded_shift(instruction, guarded) && !is_shared(instruction)) return false;
  if (is_wiring(instruction)) {
    // Wires are written where they are used, unless they gather bits for several users.
    return instruction.getOpcode() == llvm::Instruction::Or && !instruction.hasOneUse();
  }
  if (is_shared(instruction) || !variable.empty()) return true;
  return needs_name(instruction, *llvm::cast<llvm::Instruction>(*instruction.user_begin()));
}

}  // namespace systole::compiler
