#include "hls/compiler/emit/value_names.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/emit/statements.h"
#include "hls/compiler/frontend/layout.h"
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

std::string opposite(const std::string& name) {
  return name.starts_with("not_") ? name.substr(4) : "not_" + name;
}

class ValueNames {
 public:
  ValueNames(llvm::Function& function, const OperationName& operation_name,
             const EnumeratorName& enumerator, const OperationName& register_name)
      : operation_name_(operation_name), enumerator_(enumerator), register_name_(register_name) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (instruction.getType()->isIntegerTy()) {
        const llvm::DebugLoc& at = instruction.getDebugLoc();
        statements_[&instruction] = at ? statement_of(*at, source_) : nullptr;
        if (const auto* own = variable_record(instruction)) has_value_.insert(own->getVariable());
      }
    }
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (instruction.getType()->isIntegerTy()) names_[&instruction] = name_of(instruction);
    }
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto found = names_.find(&instruction);
      if (found != names_.end()) choices_[&instruction] = choices_of(instruction, found->second);
    }
  }

  std::map<const llvm::Value*, NameChoices> choices() && { return std::move(choices_); }

 private:
  /// The value's part in names derived from it; "" without a good name.
  std::string base_of(const llvm::Value& value) const {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&value);
    if (call && is_any_operation(*call)) return operation_name_ ? operation_name_(*call) : "";
    const auto found = names_.find(&value);
    if (found == names_.end() || roles_.count(&value) != 0) return "";
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    return instruction && is_wiring(*instruction) ? "" : found->second;
  }

  /// Whether the value has a user inside, or outside, the statement.
  bool is_used(const llvm::Instruction& instruction, const llvm::DILocalVariable* statement,
               bool inside) const {
    return std::any_of(instruction.user_begin(), instruction.user_end(), [&](const auto* user) {
      const auto other = statements_.find(llvm::cast<llvm::Instruction>(user));
      return (other != statements_.end() && other->second == statement) == inside;
    });
  }

  /// The function that computes a value; "" for clock() and operators.
  static std::string owner_of(const llvm::DILocation& at) {
    const llvm::StringRef name = at.getScope()->getSubprogram()->getName();
    return name == "clock" || name.starts_with("operator") ? "" : snake_case(name);
  }

  /// The name, and longer ones with its purpose or the owner of the local.
  NameChoices choices_of(llvm::Instruction& instruction, const std::string& name) {
    NameChoices choices{name};
    if (is_any_operation(instruction)) return choices;
    const llvm::DbgVariableRecord* record = variable_record(instruction);
    const llvm::DILocation* at =
        record ? record->getDebugLoc().get() : instruction.getDebugLoc().get();
    for (; at; at = at->getInlinedAt()) {
      if (is_type_layer(at->getFilename())) continue;
      const llvm::DILocation* caller = at->getInlinedAt();
      const llvm::DILocalVariable* purpose = caller ? statement_of(*caller, source_) : nullptr;
      const std::string owner = owner_of(*at);
      for (const std::string& prefix :
           {purpose ? without_underscore(purpose->getName().str()) : "", owner}) {
        if (prefix.empty() || name.starts_with(prefix)) continue;
        if (prefix.size() + 1 + name.size() <= kLongest) choices.push_back(prefix + "_" + name);
      }
    }
    return choices;
  }

  std::string name_of(llvm::Instruction& instruction) {
    const std::string variable = variable_path(instruction);
    std::string inverse = inverse_of(instruction);
    if (!variable.empty()) return variable;
    const llvm::DILocalVariable* statement = statements_.at(&instruction);
    if (const std::string whole = same_as(instruction); !whole.empty()) return whole;
    if (!statement || is_wiring(instruction)) {
      std::string what = what_it_is(instruction);
      if (!what.empty()) return what;
      if (!is_any_operation(instruction)) roles_.insert(&instruction);
      return made_of(instruction);
    }
    const std::string name = without_underscore(statement->getName().str());
    const llvm::DILocation* at = user_location(instruction.getDebugLoc());
    const bool is_own = at->getLine() == statement->getLine();
    const bool is_on_the_way = !is_own || is_used(instruction, statement, true);
    if (!inverse.empty() && (is_on_the_way || inverse == opposite(name))) return inverse;
    // The statement's value is the one used elsewhere; the rest are intermediate.
    if (!is_used(instruction, statement, false)) return name + "_partial";
    if (has_value_.count(statement) == 0) return name;
    const std::string what = what_it_is(instruction);
    return what.empty() ? name + "_partial" : what;
  }

  /// The name of the variable that wires merely widen, or narrow after a shift; or "".
  std::string same_as(llvm::Instruction& instruction) const {
    if (llvm::isa<llvm::ZExtInst>(instruction)) return variable_path(*instruction.getOperand(0));
    if (instruction.getOpcode() != llvm::Instruction::LShr || !is_wiring(instruction) ||
        !instruction.hasOneUse()) {
      return "";
    }
    auto* cut = llvm::cast<llvm::Instruction>(*instruction.user_begin());
    return llvm::isa<llvm::TruncInst>(cut) ? variable_path(*cut) : "";
  }

  /// A name for a value that belongs to no source statement.
  std::string made_of(llvm::Instruction& instruction) const {
    if (const std::string next = next_value(instruction); !next.empty()) return next;
    llvm::Value* operand = nullptr;
    if (match(&instruction, llvm::PatternMatch::m_Neg(llvm::PatternMatch::m_Value(operand)))) {
      const std::string base = bits_of(*operand);
      if (!base.empty()) return "minus_" + base;
    }
    const std::string base = operand_of(instruction);
    if (!instruction.getType()->isIntegerTy(1)) return base + "_" + role_of(instruction);
    // A path through the branches of a function.
    const llvm::DILocation* at = user_location(instruction.getDebugLoc());
    const std::string owner = at ? owner_of(*at) : "";
    return (base == "value" && !owner.empty() ? owner : base) + "_case";
  }

  /// "target_next" for a register's next value, or a select between that and its value; or "".
  std::string next_value(const llvm::Instruction& instruction) const {
    if (const auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
      for (const llvm::Value* value : {choice->getFalseValue(), choice->getTrueValue()}) {
        const auto* read = llvm::dyn_cast<llvm::CallInst>(value);
        if (read && is_operation(*read, Operation::kReadRegister)) return base_of(*read) + "_next";
      }
    }
    if (!register_name_) return "";
    for (const llvm::User* user : instruction.users()) {
      const auto* write = llvm::dyn_cast<llvm::CallInst>(user);
      if (!write || !is_operation(*write, Operation::kWriteRegister)) continue;
      if (const std::string base = register_name_(*write); !base.empty()) return base + "_next";
    }
    return "";
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

  /// As base_of; "word_bits" for bits that wires pick from a word.
  std::string bits_of(const llvm::Value& value) const {
    std::string base = base_of(value);
    const auto* wires = llvm::dyn_cast<llvm::Instruction>(&value);
    if (!base.empty() || !wires || !is_wiring(*wires)) return base;
    const std::string word = bits_of(*wires->getOperand(0));
    return word.empty() || word.ends_with("_bits") ? word : word + "_bits";
  }

  /// A name for a value that is not part of a variable, or "".
  std::string what_it_is(llvm::Instruction& instruction) const {
    const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
    if (!compare) return inverse_of(instruction);
    const std::string left = bits_of(*compare->getOperand(0));
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(compare->getOperand(1));
    if (constant && compare->isEquality() && enumerator_ && !left.empty()) {
      std::string word = snake_case(enumerator_(*compare->getOperand(0), constant->getValue()));
      // target_is_load for target_q == TargetLoad.
      if (word.starts_with(left + "_")) word.erase(0, left.size() + 1);
      if (!word.empty()) return left + relation_of(compare->getPredicate()) + word;
    }
    const bool is_signed = compare->isSigned();
    const char* relation = relation_of(compare->getPredicate());
    if (constant && !left.empty() && is_signed && constant->isZero()) {
      if (compare->getPredicate() == llvm::CmpInst::ICMP_SLT) return left + "_is_negative";
    }
    std::string right = constant ? number(*constant) : shortened(base_of(*compare->getOperand(1)));
    if (left.empty() || right.empty() || (is_signed && constant && constant->isNegative()) ||
        right.size() > kLongestBase) {
      return "";
    }
    return shortened(left) + relation + right;
  }

  /// "zero", "one", "255", "" for a large number.
  static std::string number(const llvm::ConstantInt& constant) {
    const llvm::APInt& value = constant.getValue();
    if (value.isZero()) return "zero";
    if (value.isOne()) return "one";
    return value.getActiveBits() > 16 ? "" : std::to_string(value.getZExtValue());
  }

  /// "out_width" for "patches_shape_out_width": the last words that make a short name.
  static std::string shortened(std::string name) {
    while (name.size() > kLongestBase && name.find('_') != std::string::npos) {
      name.erase(0, name.find('_') + 1);
    }
    return name;
  }

  /// A name from an unnamed value's operands, else "value"; for a select from what it selects, the
  /// usual value first.
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
      case llvm::CmpInst::ICMP_ULE:
      case llvm::CmpInst::ICMP_SLE:
        return "_at_most_";
      case llvm::CmpInst::ICMP_UGE:
      case llvm::CmpInst::ICMP_SGE:
        return "_at_least_";
      case llvm::CmpInst::ICMP_UGT:
      case llvm::CmpInst::ICMP_SGT:
        return "_above_";
      default:
        llvm_unreachable("no comparison of integers");
    }
  }

  /// Limits names derived from derived names.
  static constexpr std::size_t kLongestBase = 20;
  static constexpr std::size_t kLongest = 36;

  SourceText source_;
  const OperationName& operation_name_;
  const EnumeratorName& enumerator_;
  const OperationName& register_name_;
  std::map<const llvm::Instruction*, const llvm::DILocalVariable*> statements_;
  std::map<const llvm::Value*, std::string> names_;
  std::map<const llvm::Value*, NameChoices> choices_;
  std::set<const llvm::DILocalVariable*> has_value_;  ///< held by a value
  std::set<const llvm::Value*> roles_;  ///< named after an operand, so not the base of other names
};

}  // namespace

std::map<const llvm::Value*, NameChoices> value_names(llvm::Function& function,
                                                      const OperationName& operation_name,
                                                      const EnumeratorName& enumerator,
                                                      const OperationName& register_name) {
  return ValueNames(function, operation_name, enumerator, register_name).choices();
}

}  // namespace systole::compiler
