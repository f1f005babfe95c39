#include "hls/compiler/verilog/expression.h"

#include <fmt/format.h>
#include <llvm/ADT/APInt.h>
#include <llvm/ADT/SmallString.h>

#include <algorithm>

namespace systole::compiler::sv {

using Kind = Expression::Kind;

static Expression make(Kind kind, std::string text, std::vector<Expression> operands) {
  Expression made;
  made.kind = kind;
  made.text = std::move(text);
  made.operands = std::move(operands);
  return made;
}

static Expression sized(Kind kind, unsigned width, std::vector<Expression> operands) {
  Expression made = make(kind, "", std::move(operands));
  made.width = width;
  return made;
}

Expression unary(const char* sign, Expression operand) {
  return make(Kind::kUnary, sign, {std::move(operand)});
}
Expression binary(Expression left, const char* sign, Expression right) {
  return make(Kind::kBinary, sign, {std::move(left), std::move(right)});
}
Expression choice(Expression condition, Expression first, Expression second) {
  return make(Kind::kChoice, "", {std::move(condition), std::move(first), std::move(second)});
}
Expression replication(unsigned copies, Expression operand) {
  return sized(Kind::kReplication, copies, {std::move(operand)});
}
Expression element(Expression base, Expression index) {
  return make(Kind::kElement, "", {std::move(base), std::move(index)});
}
Expression slice(Expression base, unsigned high, unsigned low) {
  Expression made = sized(Kind::kSlice, high - low + 1, {std::move(base)});
  made.high = high;
  made.low = low;
  return made;
}
Expression part(Expression base, Expression index, unsigned width) {
  return sized(Kind::kPart, width, {std::move(base), std::move(index)});
}
Expression cast(unsigned width, Expression operand) {
  return sized(Kind::kCast, width, {std::move(operand)});
}
Expression call(const char* function, Expression operand) {
  return make(Kind::kCall, function, {std::move(operand)});
}

static Expression number(unsigned width, std::string digits) {
  Expression made = make(Kind::kNumber, std::move(digits), {});
  made.width = width;
  return made;
}

Expression plain_number(std::int64_t value) { return number(0, std::to_string(value)); }

Expression literal_of(const llvm::APInt& value) {
  const unsigned width = value.getBitWidth();
  if (width == 1) return number(1, value.isZero() ? "b0" : "b1");
  llvm::SmallString<40> digits;
  if (value.ult(1024) || value.isZero()) {
    value.toStringUnsigned(digits, 10);
    return number(width, "d" + std::string(digits));
  }
  value.toString(digits, 16, /*Signed=*/false, /*formatAsCLiteral=*/false, /*UpperCase=*/false);
  return number(width, "h" + std::string(digits));
}

Expression signed_literal(const llvm::APInt& value) {
  llvm::SmallString<40> digits;
  value.abs().toStringUnsigned(digits);
  Expression made = number(value.getBitWidth(), "sd" + std::string(digits));
  return value.isNegative() ? unary("-", made) : made;
}

Expression zeros(unsigned width) { return number(width, width == 1 ? "b0" : "d0"); }

static bool is_zeros(const Expression& one) {
  return one.is(Kind::kNumber) && one == zeros(one.width);
}

/// Two neighbours of a concatenation as one, or none.
static Expression merged(const Expression& left, const Expression& right) {
  if (is_zeros(left) && is_zeros(right)) return zeros(left.width + right.width);
  const bool follow = left.is(Kind::kSlice) && right.is(Kind::kSlice) &&
                      left.operands == right.operands && left.low == right.high + 1 &&
                      (left.width > 1 || right.width > 1);
  return follow ? slice(left.operands[0], left.high, right.low) : Expression();
}

Expression concatenation(const std::vector<Expression>& parts) {
  Expression joined = make(Kind::kConcatenation, "", {});
  const auto add = [&](const Expression& one) {
    const Expression both =
        joined.operands.empty() ? Expression() : merged(joined.operands.back(), one);
    if (both.empty()) {
      joined.operands.push_back(one);
    } else {
      joined.operands.back() = both;
    }
  };
  for (const Expression& one : parts) {
    if (one.is(Kind::kConcatenation)) {
      std::for_each(one.operands.begin(), one.operands.end(), add);
    } else {
      add(one);
    }
  }
  return joined.operands.size() == 1 ? joined.operands[0] : joined;
}

/// Whether the expression binds as one operand: a name, a call, a concatenation.
static bool is_closed(const Expression& one) {
  const auto is_spaced = [&] { return to_text(one).find(' ') != std::string::npos; };
  switch (one.kind) {
    case Kind::kNone:
    case Kind::kName:
    case Kind::kNumber:
    case Kind::kConcatenation:
    case Kind::kReplication:
      return true;
    case Kind::kBinary:
    case Kind::kChoice:
      return false;
    case Kind::kUnary:
      return one.text == "!" && !is_spaced();
    case Kind::kElement:
    case Kind::kPart:
      if (one.operands[0].is(Kind::kName) && !contains(one.operands[1], Kind::kSlice) &&
          !contains(one.operands[1], Kind::kElement)) {
        return true;
      }
      return !is_spaced();
    case Kind::kSlice:
    case Kind::kCast:
    case Kind::kCall:
    case Kind::kGroup:
      return !is_spaced();
  }
  return false;
}

Expression group(Expression inside) { return make(Kind::kGroup, "", {std::move(inside)}); }

Expression grouped(Expression operand) {
  return is_closed(operand) ? operand : group(std::move(operand));
}

Expression opposite(const Expression& operand) {
  const bool negated = operand.is(Kind::kUnary) && operand.text == "!";
  return negated ? operand.operands[0] : unary("!", operand);
}

bool contains(const Expression& expression, Kind kind) {
  return expression.is(kind) ||
         std::any_of(expression.operands.begin(), expression.operands.end(),
                     [kind](const Expression& one) { return contains(one, kind); });
}

std::string root_of(const Expression& expression) {
  const bool is_part =
      expression.is(Kind::kElement) || expression.is(Kind::kSlice) || expression.is(Kind::kPart);
  return is_part                      ? root_of(expression.operands[0])
         : expression.is(Kind::kName) ? expression.text
                                      : "";
}

std::string to_text(const Expression& one) {
  const auto operand = [&](std::size_t i) { return to_text(one.operands[i]); };
  switch (one.kind) {
    case Kind::kNone:
      return "";
    case Kind::kName:
      return one.text;
    case Kind::kNumber:
      return one.width == 0 ? one.text : fmt::format("{}'{}", one.width, one.text);
    case Kind::kUnary:
      return one.text + operand(0);
    case Kind::kBinary:
      return fmt::format("{} {} {}", operand(0), one.text, operand(1));
    case Kind::kChoice:
      return fmt::format("{} ? {} : {}", operand(0), operand(1), operand(2));
    case Kind::kConcatenation: {
      std::string text;
      for (const Expression& each : one.operands) {
        text += (text.empty() ? "{" : ", ") + to_text(each);
      }
      return text + "}";
    }
    case Kind::kReplication:
      return fmt::format("{{{}{{{}}}}}", one.width, operand(0));
    case Kind::kElement:
      return fmt::format("{}[{}]", operand(0), operand(1));
    case Kind::kSlice:
      return one.high == one.low ? fmt::format("{}[{}]", operand(0), one.high)
                                 : fmt::format("{}[{}:{}]", operand(0), one.high, one.low);
    case Kind::kPart:
      return fmt::format("{}[{} +: {}]", operand(0), operand(1), one.width);
    case Kind::kCast:
      return fmt::format("{}'({})", one.width, operand(0));
    case Kind::kCall:
      return fmt::format("{}({})", one.text, operand(0));
    case Kind::kGroup:
      return fmt::format("({})", operand(0));
  }
  return "";
}

}  // namespace systole::compiler::sv
