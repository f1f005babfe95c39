#include "hls/compiler/emit/expression.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/ir/picks.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

namespace pattern = llvm::PatternMatch;
using llvm::dyn_cast;
}  // namespace

static sv::Expression literal(const llvm::Constant& constant) {
  if (const auto* integer = dyn_cast<llvm::ConstantInt>(&constant)) {
    return sv::literal_of(integer->getValue());
  }
  return sv::zeros(width_of(constant));  // undef and poison: any value will do
}

/// Whether wires lead the value to a sign extension, which prints its sign beside it.
static bool is_sign_extended(const llvm::Instruction& wires) {
  if (!is_wiring(wires)) return false;
  return wires.getOpcode() == llvm::Instruction::SExt ||
         std::any_of(wires.user_begin(), wires.user_end(), [](const llvm::User* user) {
           return is_sign_extended(*llvm::cast<llvm::Instruction>(user));
         });
}

/// Whether the value is wires from a sign extension.
static bool comes_from_sign_extension(const llvm::Value& value) {
  const auto* wires = dyn_cast<llvm::Instruction>(&value);
  if (!wires || !is_wiring(*wires)) return false;
  return wires->getOpcode() == llvm::Instruction::SExt ||
         std::any_of(wires->op_begin(), wires->op_end(), [](const llvm::Value* operand) {
           return comes_from_sign_extension(*operand);
         });
}

bool needs_name(const llvm::Value& value, const llvm::Instruction& user) {
  if (llvm::isa<llvm::IntrinsicInst>(user)) return false;
  if (user.getOpcode() == llvm::Instruction::ZExt ||
      user.getOpcode() == llvm::Instruction::Freeze) {
    // Sign extensions in a row would double the text with each.
    const auto& made = llvm::cast<llvm::Instruction>(value);
    return is_sign_extended(user) &&
           std::any_of(made.op_begin(), made.op_end(), [](const llvm::Value* operand) {
             return comes_from_sign_extension(*operand);
           });
  }
  if (is_wiring(user)) return true;
  const auto* compare = dyn_cast<llvm::ICmpInst>(&user);
  if (!compare || compare->getOperand(0) != &value) return false;
  const auto* constant = dyn_cast<llvm::ConstantInt>(compare->getOperand(1));
  if (!constant) return false;
  return compare->getPredicate() == llvm::CmpInst::ICMP_SLT ||
         compare->getPredicate() == llvm::CmpInst::ICMP_SGT ||
         compare->getPredicate() == llvm::CmpInst::ICMP_ULT ||
         compare->getPredicate() == llvm::CmpInst::ICMP_UGT;
}

bool ExpressionBuilder::find(const llvm::Value& value, Reference& reference) const {
  const auto known = names_.find(&value);
  if (known != names_.end()) {
    reference = known->second;
    return true;
  }
  return lookup_(value, reference);
}

sv::Expression ExpressionBuilder::operand(const llvm::Value& value) const {
  if (const auto* constant = dyn_cast<llvm::Constant>(&value)) return literal(*constant);
  Reference reference;
  if (find(value, reference)) return expression_of(reference);
  return expression(llvm::cast<llvm::Instruction>(value));
}

sv::Expression ExpressionBuilder::operand(const llvm::Value& value, const llvm::Value& like) const {
  const auto* constant = dyn_cast<llvm::ConstantInt>(&value);
  const std::string name =
      constant && enums_ ? enums_->enumerator(like, constant->getValue()) : std::string();
  return name.empty() ? operand(value) : name;
}

sv::Expression ExpressionBuilder::operand(const llvm::Value& value, const Leaf* leaf) const {
  const auto* constant = dyn_cast<llvm::ConstantInt>(&value);
  const std::string name =
      constant && enums_ && leaf ? enums_->enumerator(*leaf, constant->getValue()) : std::string();
  return name.empty() ? operand(value) : name;
}

sv::Expression ExpressionBuilder::expression(const llvm::Instruction& instruction) const {
  const Use here = at(&instruction);
  if (is_wiring(instruction)) return concatenation(instruction);
  return logic(instruction);
}

const llvm::Value& ExpressionBuilder::narrowest_here(const llvm::Value& value) const {
  Reference known;
  const auto* wider = dyn_cast<llvm::ZExtInst>(&value);
  return wider && !find(value, known) ? narrowest_here(*wider->getOperand(0)) : value;
}

sv::Expression ExpressionBuilder::shift_amount(const llvm::Value& value) const {
  return operand(narrowest_here(value));
}

sv::Expression ExpressionBuilder::logic(const llvm::Instruction& instruction) const {
  const llvm::Value& left = *instruction.getOperand(0);
  const auto binary = [&](const char* sign) {
    return sv::binary(operand(left), sign, operand(*instruction.getOperand(1)));
  };
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Add: {
      const auto* constant = dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
      if (constant && constant->isNegative() && constant->getBitWidth() > 1) {
        return sv::binary(operand(left), "-", sv::literal_of(-constant->getValue()));
      }
      return binary("+");
    }
    case llvm::Instruction::Sub: {
      const auto* constant = dyn_cast<llvm::ConstantInt>(&left);
      if (constant && constant->isZero()) {
        return sv::unary("-", operand(*instruction.getOperand(1)));
      }
      return binary("-");
    }
    case llvm::Instruction::Mul: {
      // A signed product of extended operands: the extensions are the operator's own, and
      // synthesis then multiplies no more bits than the operands have.
      const auto* wide_left = dyn_cast<llvm::SExtInst>(&left);
      const auto* wide_right = dyn_cast<llvm::SExtInst>(instruction.getOperand(1));
      const auto* factor = dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
      const unsigned width = width_of(instruction);
      Reference known;  // this stage may have an operand only as its extension
      const auto extended = [&](const llvm::SExtInst& wide) {
        const llvm::Value& narrow = *wide.getOperand(0);
        return sv::cast(width, sv::call("$signed", operand(find(wide, known) ? wide : narrow)));
      };
      const auto product = [](const sv::Expression& a, const sv::Expression& b) {
        return sv::call("$unsigned", sv::binary(a, "*", b));
      };
      if (wide_left && wide_right &&
          width_of(*wide_left->getOperand(0)) + width_of(*wide_right->getOperand(0)) <= width) {
        return product(extended(*wide_left), extended(*wide_right));
      }
      if (wide_left && factor && !find(*wide_left, known)) {
        return product(extended(*wide_left), sv::signed_literal(factor->getValue()));
      }
      return binary("*");
    }
    case llvm::Instruction::And:
      return binary("&");
    case llvm::Instruction::Or:
      return binary("|");
    case llvm::Instruction::Xor: {
      const auto* constant = dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
      if (constant && constant->isMinusOne()) {
        return sv::unary(width_of(instruction) == 1 ? "!" : "~", operand(left));
      }
      return binary("^");
    }
    case llvm::Instruction::Shl:
      return sv::binary(operand(left), "<<", shift_amount(*instruction.getOperand(1)));
    case llvm::Instruction::LShr:
      return sv::binary(operand(left), ">>", shift_amount(*instruction.getOperand(1)));
    case llvm::Instruction::AShr:
      return sv::call("$unsigned", sv::binary(sv::call("$signed", operand(left)), ">>>",
                                              shift_amount(*instruction.getOperand(1))));
    case llvm::Instruction::ICmp:
      return compare(instruction);
    case llvm::Instruction::Select:
      return select(instruction);
    case llvm::Instruction::Call:
      return call(instruction);
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::URem:
    case llvm::Instruction::SRem:
      refuse(instruction,
             "division by a variable has hardware only in a function over arrays; divide by a "
             "constant, or write co_await divide(x, y) (systole/hls/divide.h) in a thread, one bit "
             "a clock");
    default:
      refuse(instruction, fmt::format("'{}' has no hardware here; use integers of fixed width",
                                      instruction.getOpcodeName()));
  }
}

sv::Expression ExpressionBuilder::compare(const llvm::Instruction& instruction) const {
  const auto& test = llvm::cast<llvm::ICmpInst>(instruction);
  const llvm::Value& left = *test.getOperand(0);
  const llvm::Value& right = *test.getOperand(1);
  const unsigned width = width_of(left);
  if (const auto* constant = dyn_cast<llvm::ConstantInt>(&right)) {
    const llvm::APInt& value = constant->getValue();
    Reference reference;
    const bool sliceable = find(left, reference);
    if (test.getPredicate() == llvm::CmpInst::ICMP_SLT && value.isZero() && sliceable) {
      return slice(left, width - 1, width - 1);
    }
    if (test.getPredicate() == llvm::CmpInst::ICMP_SGT && value.isAllOnes() && sliceable) {
      return sv::unary("!", slice(left, width - 1, width - 1));
    }
    // A sum or difference whose low bits have no other use is compared whole.
    const auto* sum = dyn_cast<llvm::BinaryOperator>(&left);
    const bool by_bits = sliceable && !(sum && (sum->getOpcode() == llvm::Instruction::Add ||
                                                sum->getOpcode() == llvm::Instruction::Sub));
    if (test.getPredicate() == llvm::CmpInst::ICMP_ULT && value.isPowerOf2() && by_bits &&
        value != 1) {
      const unsigned low = value.logBase2();
      return sv::binary(slice(left, width - 1, low), "==", sv::zeros(width - low));
    }
    if (test.getPredicate() == llvm::CmpInst::ICMP_UGT && (value + 1).isPowerOf2() && by_bits) {
      const unsigned low = (value + 1).logBase2();
      return sv::binary(slice(left, width - 1, low), "!=", sv::zeros(width - low));
    }
    if (width == 1 && test.isEquality()) {
      const bool is_true = (test.getPredicate() == llvm::CmpInst::ICMP_EQ) == value.isOne();
      return is_true ? operand(left) : sv::unary("!", operand(left));
    }
  }
  const char* sign = "==";
  switch (test.getUnsignedPredicate()) {
    case llvm::CmpInst::ICMP_EQ:
      sign = "==";
      break;
    case llvm::CmpInst::ICMP_NE:
      sign = "!=";
      break;
    case llvm::CmpInst::ICMP_ULT:
      sign = "<";
      break;
    case llvm::CmpInst::ICMP_ULE:
      sign = "<=";
      break;
    case llvm::CmpInst::ICMP_UGT:
      sign = ">";
      break;
    default:
      sign = ">=";
      break;
  }
  if (test.isSigned()) {
    return sv::binary(sv::call("$signed", operand(left)), sign,
                      sv::call("$signed", operand(right)));
  }
  return sv::binary(operand(left), sign, operand(right, left));
}

sv::Expression ExpressionBuilder::select(const llvm::Instruction& instruction) const {
  const llvm::Value& condition = *instruction.getOperand(0);
  const llvm::Value& first = *instruction.getOperand(1);
  const llvm::Value& second = *instruction.getOperand(2);
  GuardedShift guarded;
  Reference shifted;
  // If a register separates the shift from its guard, this stage has an ordinary select.
  if (is_guarded_shift(instruction, guarded) && !find(first, shifted) &&
      !find(*guarded.shift, shifted)) {
    const bool is_right = guarded.kind == GuardedShift::Kind::kRight;
    const sv::Expression moved = sv::binary(operand(*guarded.value), is_right ? ">>" : "<<",
                                            shift_amount(*guarded.shift->getOperand(1)));
    const bool inverts = guarded.kind == GuardedShift::Kind::kNotLeft;
    return inverts ? sv::unary("~", moved) : moved;
  }
  if (width_of(instruction) == 1) {
    const auto both = [&](const sv::Expression& left, const char* sign, const llvm::Value& right) {
      return sv::binary(left, sign, operand(right));
    };
    if (pattern::match(&first, pattern::m_One())) {
      return both(operand(condition), "||", second);
    }
    if (pattern::match(&second, pattern::m_Zero())) {
      return both(operand(condition), "&&", first);
    }
    if (pattern::match(&first, pattern::m_Zero())) {
      return both(sv::unary("!", operand(condition)), "&&", second);
    }
    if (pattern::match(&second, pattern::m_One())) {
      return both(sv::unary("!", operand(condition)), "||", first);
    }
  }
  return sv::choice(operand(condition), operand(first, instruction), operand(second, instruction));
}

sv::Expression ExpressionBuilder::call(const llvm::Instruction& instruction) const {
  if (const llvm::CallInst* one = as_pick(instruction)) return pick(*one);
  refuse(instruction, "this call has no hardware");
}

}  // namespace systole::compiler
