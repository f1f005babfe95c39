#include "hls/compiler/emit/signals.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/emit/expression.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {

/// Whether the only use of the value is the next value of the same variable: `sum += a; sum += b;`.
static bool is_updated_at_once(llvm::Instruction& instruction) {
  const llvm::DbgVariableRecord* own = variable_record(instruction);
  auto* user = &instruction;
  do {
    if (!user->hasOneUse()) return false;
    user = llvm::cast<llvm::Instruction>(*user->user_begin());
  } while (is_wiring(*user) && !variable_record(*user));
  const llvm::DbgVariableRecord* next = variable_record(*user);
  return own && next && own->getVariable() == next->getVariable() &&
         own->getDebugLoc()->getInlinedAt() == next->getDebugLoc()->getInlinedAt();
}

/// Whether a source variable holds the value, rather than a function merely returning it or the
/// value being on the way to the variable's next value.
static bool is_variable(llvm::Instruction& instruction) {
  const llvm::DbgVariableRecord* record = variable_record(instruction);
  return record && !is_result(*record->getVariable()) && !is_updated_at_once(instruction);
}

/// Whether only wires carry the value to several places.
static bool is_shared(const llvm::Instruction& instruction) {
  if (!instruction.hasOneUse()) return true;
  const auto& user = *llvm::cast<llvm::Instruction>(*instruction.user_begin());
  return is_wiring(user) && is_shared(user);
}

/// The test of a guarded shift, which the shift's text omits.
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

/// Whether the value prints as a name: a register, a port, a signal, or bits of one.
static bool is_named(llvm::Value& value) {
  if (llvm::isa<llvm::ConstantInt>(value)) return true;
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction) return false;
  if (is_any_operation(*instruction) || deserves_signal(*instruction)) {
    return true;
  }
  const bool picks = is_wiring(*instruction) && instruction->getOpcode() != llvm::Instruction::Or &&
                     instruction->getOpcode() != llvm::Instruction::SExt;
  return picks && is_named(*instruction->getOperand(0));
}

/// A text that would occur more often than this gets a signal.
static constexpr unsigned kMostRepeats = 4;

/// A negated signal, a signal compared with a constant, or the `and` or `or` of two signals.
static bool is_short(llvm::Instruction& instruction) {
  llvm::Value* operand = nullptr;
  if (match(&instruction, llvm::PatternMatch::m_Not(llvm::PatternMatch::m_Value(operand)))) {
    return is_named(*operand);
  }
  llvm::Value* other = nullptr;
  using llvm::PatternMatch::m_LogicalAnd, llvm::PatternMatch::m_LogicalOr,
      llvm::PatternMatch::m_Not, llvm::PatternMatch::m_Value;
  if (match(&instruction, m_LogicalAnd(m_Value(operand), m_Value(other))) ||
      match(&instruction, m_LogicalOr(m_Value(operand), m_Value(other)))) {
    const auto is_leaf = [](llvm::Value& value) {
      llvm::Value* inner = nullptr;
      return is_named(match(&value, m_Not(m_Value(inner))) ? *inner : value);
    };
    return !instruction.hasNUsesOrMore(kMostRepeats + 1) && is_leaf(*operand) && is_leaf(*other);
  }
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
  return compare && compare->isEquality() && llvm::isa<llvm::ConstantInt>(compare->getOperand(1)) &&
         is_named(*compare->getOperand(0));
}

bool deserves_signal(llvm::Instruction& instruction) {
  if (!instruction.getType()->isIntegerTy() || only_guards(instruction)) return false;
  const bool is_own = is_variable(instruction);
  if (!is_own && is_short(instruction)) return false;
  GuardedShift guarded;
  if (is_guarded_shift(instruction, guarded) && !is_shared(instruction)) return false;
  if (is_wiring(instruction)) {
    // Wires are printed at their uses, unless they gather bits for several users.
    return instruction.getOpcode() == llvm::Instruction::Or && !instruction.hasOneUse();
  }
  const bool is_result =
      !is_own && !variable_name(instruction).empty() && !is_updated_at_once(instruction);
  if (is_shared(instruction) || is_own || is_result) return true;
  return needs_name(instruction, *llvm::cast<llvm::Instruction>(*instruction.user_begin()));
}

/// Whether the value's text may be repeated at its few uses.
static bool fits_its_uses(const llvm::Value& value, unsigned& uses_left) {
  return std::all_of(value.user_begin(), value.user_end(), [&](const llvm::User* user) {
    const auto& at = *llvm::cast<llvm::Instruction>(user);
    if (llvm::isa<llvm::ZExtInst>(at) || llvm::isa<llvm::FreezeInst>(at)) {
      return fits_its_uses(at, uses_left);
    }
    return !llvm::isa<llvm::PHINode>(at) && !needs_name(value, at) && uses_left-- > 0;
  });
}

bool is_brief(llvm::Instruction& instruction, const std::function<sv::Expression()>& text) {
  constexpr unsigned kMostUses = 3, kLongestText = 48;
  unsigned uses_left = kMostUses;
  return !is_variable(instruction) && fits_its_uses(instruction, uses_left) &&
         to_text(text()).size() <= kLongestText;
}

bool is_named_range(llvm::Instruction& instruction, const std::function<sv::Expression()>& bits) {
  using enum sv::Expression::Kind;
  constexpr unsigned kLeastUses = 3;
  if (!is_wiring(instruction) || !instruction.hasNUsesOrMore(kLeastUses) ||
      variable_name(instruction).empty()) {
    return false;
  }
  const sv::Expression text = bits();
  const bool is_extended =
      text.is(kConcatenation) && text.operands.size() == 2 && text.operands[0].is(kNumber);
  const sv::Expression& range = is_extended ? text.operands[1] : text;
  return range.is(kSlice) && range.operands.size() == 1 && range.operands[0].is(kName);
}

}  // namespace systole::compiler
