#include "hls/compiler/emit/value_names.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/emit/expression.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

const char* role_of(llvm::Instruction& instruction) {
  using llvm::PatternMatch::m_LogicalAnd, llvm::PatternMatch::m_LogicalOr,
      llvm::PatternMatch::m_Value;
  if (match(&instruction, m_LogicalAnd(m_Value(), m_Value()))) return "and";
  if (match(&instruction, m_LogicalOr(m_Value(), m_Value()))) return "or";
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

/// Lines of the user's files, read once.
class SourceText {
 public:
  /// The line of a file that `at` is in; "" where there is none.
  const std::string& line(const llvm::DILocation& at, unsigned number) {
    const std::string path = path_of(at.getDirectory(), at.getFilename());
    const auto [found, is_new] = lines_.try_emplace({path, number});
    if (is_new) found->second = source_line(path, number).value_or("");
    return found->second;
  }

 private:
  std::map<std::pair<std::string, unsigned>, std::string> lines_;
};

bool is_part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Whether the line gives the variable a new value: "sum = ...", "sum += ...".
bool assigns(const std::string& line, const std::string& variable) {
  for (std::size_t at = line.find(variable); at != std::string::npos;
       at = line.find(variable, at + 1)) {
    if (at > 0 && (is_part_of_name(line[at - 1]) || line[at - 1] == '.')) continue;
    const std::size_t next = line.find_first_not_of(' ', at + variable.size());
    if (next == std::string::npos || is_part_of_name(line[at + variable.size()])) continue;
    const std::size_t equals = line.find_first_not_of("+-*/&|^<>", next);
    if (equals == std::string::npos || line[equals] != '=' || line[equals + 1] == '=') continue;
    const std::string operation = line.substr(next, equals - next);
    if (operation != "<" && operation != ">") return true;  // not a comparison
  }
  return false;
}

/// The user's variable whose value this instruction is part of: the one that its line assigns, else
/// the last one declared at or above its line in the same function. Optimised code keeps no better
/// trace of a local value.
const llvm::DILocalVariable* statement_of(const llvm::Instruction& instruction,
                                          SourceText& source) {
  const llvm::DILocation* at = user_location(instruction.getDebugLoc());
  if (!at) return nullptr;
  const llvm::DISubprogram* subprogram = at->getScope()->getSubprogram();
  const std::string& line = source.line(*at, at->getLine());
  const llvm::DILocalVariable* best = nullptr;
  for (const llvm::DINode* node : subprogram->getRetainedNodes()) {
    const auto* variable = llvm::dyn_cast<llvm::DILocalVariable>(node);
    if (!variable || variable->getArg() != 0 || variable->getLine() > at->getLine()) continue;
    if (llvm::isa_and_nonnull<llvm::DIBasicType>(variable->getType())) continue;  // a loop's int
    if (assigns(line, variable->getName().str())) return variable;
    if (!best || variable->getLine() >= best->getLine()) best = variable;
  }
  // A statement is a few lines; further away, or behind its end, it belongs to no variable.
  constexpr unsigned kLongest = 8;
  if (!best || at->getLine() - best->getLine() > kLongest) return nullptr;
  for (unsigned number = best->getLine(); number < at->getLine(); ++number) {
    if (source.line(*at, number).find(';') != std::string::npos) return nullptr;
  }
  return best;
}

/// Whether the value says the opposite of what its line of source says: LLVM turns tests round
/// where that saves it a `not`, and leaves them the variable's name.
bool is_turned(llvm::Instruction& value, SourceText& source) {
  const llvm::DILocation* at = user_location(value.getDebugLoc());
  if (!at || !value.getType()->isIntegerTy(1)) return false;
  const std::string& line = source.line(*at, at->getLine());
  const auto says = [&](const char* text) { return line.find(text) != std::string::npos; };
  const bool says_and = says("&&") || says(" & ");
  const bool says_or = says("||") || says(" | ");
  using llvm::PatternMatch::m_LogicalAnd, llvm::PatternMatch::m_LogicalOr,
      llvm::PatternMatch::m_Value;
  if (match(&value, m_LogicalOr(m_Value(), m_Value()))) return says_and && !says_or;
  if (match(&value, m_LogicalAnd(m_Value(), m_Value()))) return says_or && !says_and;
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&value);
  if (!compare) return false;
  const auto predicate = compare->getPredicate();
  if (predicate == llvm::CmpInst::ICMP_NE) return says("==") && !says("!=");
  return predicate == llvm::CmpInst::ICMP_EQ && says("!=") && !says("==");
}

std::string opposite(const std::string& name) {
  return name.starts_with("not_") ? name.substr(4) : "not_" + name;
}

class ValueNames {
 public:
  ValueNames(llvm::Function& function, const OperationName& operation_name)
      : operation_name_(operation_name) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (instruction.getType()->isIntegerTy()) {
        statements_[&instruction] = statement_of(instruction, source_);
      }
    }
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (instruction.getType()->isIntegerTy()) names_[&instruction] = name_of(instruction);
    }
  }

  std::map<const llvm::Value*, std::string> names() && { return std::move(names_); }

 private:
  /// What a value is called where another is named after it; "" for one that has no good name.
  std::string base_of(const llvm::Value& value) const {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&value);
    if (call && is_any_operation(*call)) return operation_name_ ? operation_name_(*call) : "";
    const auto found = names_.find(&value);
    if (found == names_.end() || roles_.count(&value) != 0) return "";
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    return instruction && is_wiring(*instruction) ? "" : found->second;
  }

  /// Whether something uses the value that is part of the statement, or that is not.
  bool is_used(const llvm::Instruction& instruction, const llvm::DILocalVariable* statement,
               bool inside) const {
    return std::any_of(instruction.user_begin(), instruction.user_end(), [&](const auto* user) {
      const auto other = statements_.find(llvm::cast<llvm::Instruction>(user));
      return (other != statements_.end() && other->second == statement) == inside;
    });
  }

  std::string name_of(llvm::Instruction& instruction) {
    const std::string variable = without_underscore(variable_name(instruction));
    std::string inverse = inverse_of(instruction);
    if (!variable.empty()) {
      const bool is_opposite = inverse == opposite(variable) || is_turned(instruction, source_);
      return is_opposite ? opposite(variable) : variable;
    }
    const llvm::DILocalVariable* statement = statements_.at(&instruction);
    if (!statement) {
      std::string what = what_it_is(instruction);
      if (!what.empty()) return what;
      if (!is_any_operation(instruction)) roles_.insert(&instruction);
      return operand_of(instruction) + "_" + role_of(instruction);
    }
    const std::string name = without_underscore(statement->getName().str());
    const llvm::DILocation* at = user_location(instruction.getDebugLoc());
    const bool is_own = at->getLine() == statement->getLine();
    const bool is_on_the_way = !is_own || is_used(instruction, statement, true);
    if (!inverse.empty() && (is_on_the_way || inverse == opposite(name))) return inverse;
    // The value of the statement is what others use; the rest is on the way to it.
    if (!is_used(instruction, statement, false)) return name + "_" + role_of(instruction);
    return is_turned(instruction, source_) ? opposite(name) : name;
  }

  /// "not_busy", or "".
  std::string inverse_of(llvm::Instruction& instruction) const {
    llvm::Value* operand = nullptr;
    if (!match(&instruction, llvm::PatternMatch::m_Not(llvm::PatternMatch::m_Value(operand)))) {
      return "";
    }
    const std::string base = base_of(*operand);
    return base.empty() ? "" : opposite(base);
  }

  /// As base_of, "word_bits" for what wires pick from a word.
  std::string bits_of(const llvm::Value& value) const {
    std::string base = base_of(value);
    const auto* wires = llvm::dyn_cast<llvm::Instruction>(&value);
    if (!base.empty() || !wires || !is_wiring(*wires) || roles_.count(wires) != 0) return base;
    const std::string word = bits_of(*wires->getOperand(0));
    return word.empty() || word.ends_with("_bits") ? word : word + "_bits";
  }

  /// A name for what is no part of a variable, or "".
  std::string what_it_is(llvm::Instruction& instruction) const {
    const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
    if (!compare) return inverse_of(instruction);
    const std::string left = bits_of(*compare->getOperand(0));
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(compare->getOperand(1));
    const bool is_small = constant && constant->getValue().getActiveBits() <= 16 &&
                          !(compare->isSigned() && constant->isNegative());
    const std::string right =
        is_small ? std::to_string(constant->getZExtValue()) : base_of(*compare->getOperand(1));
    const char* relation = relation_of(compare->getPredicate());
    if (left.empty() || right.empty() || !relation || left.size() > kLongestBase ||
        right.size() > kLongestBase) {
      return "";
    }
    return left + relation + right;
  }

  /// What a value without a name of its own is made of, "value" where that has none either: of a
  /// choice what it chooses, the usual value first.
  std::string operand_of(llvm::Instruction& instruction) const {
    std::vector<const llvm::Value*> operands(instruction.op_begin(), instruction.op_end());
    if (std::string_view(role_of(instruction)) == "choice") {
      std::reverse(operands.begin(), operands.end());
    }
    for (const llvm::Value* operand : operands) {
      const std::string base = bits_of(*operand);
      if (!base.empty() && base.size() <= kLongestBase && roles_.count(operand) == 0) return base;
    }
    return "value";
  }

  static const char* relation_of(llvm::CmpInst::Predicate predicate) {
    switch (predicate) {
      case llvm::CmpInst::ICMP_EQ:
        return "_is_";
      case llvm::CmpInst::ICMP_NE:
        return "_is_not_";
      case llvm::CmpInst::ICMP_ULT:
      case llvm::CmpInst::ICMP_SLT:
        return "_below_";
      case llvm::CmpInst::ICMP_UGT:
      case llvm::CmpInst::ICMP_SGT:
        return "_above_";
      default:
        return nullptr;
    }
  }

  /// Names of names of names would be sentences.
  static constexpr std::size_t kLongestBase = 20;

  SourceText source_;
  const OperationName& operation_name_;
  std::map<const llvm::Instruction*, const llvm::DILocalVariable*> statements_;
  std::map<const llvm::Value*, std::string> names_;
  std::set<const llvm::Value*> roles_;  ///< named after an operand: nothing is named after them
};

}  // namespace

std::map<const llvm::Value*, std::string> value_names(llvm::Function& function,
                                                      const OperationName& operation_name) {
  return ValueNames(function, operation_name).names();
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
