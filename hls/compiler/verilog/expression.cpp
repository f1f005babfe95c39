#include "hls/compiler/verilog/expression.h"

#include <fmt/format.h>
#include <llvm/ADT/APInt.h>
#include <llvm/ADT/SmallString.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <tuple>
#include <utility>

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

static bool is_bit(const Expression& one, const char* digits) {
  return one.is(Kind::kNumber) && one.width == 1 && one.text == digits;
}

static bool is_zeros(const Expression& one) {
  return one.is(Kind::kNumber) && one == zeros(one.width);
}

/// What is true where this comparison is not; "" for other signs.
static const char* opposite(std::string_view sign) {
  constexpr std::pair<std::string_view, const char*> kOpposites[] = {
      {"==", "!="}, {"!=", "=="}, {"<", ">="}, {">=", "<"}, {">", "<="}, {"<=", ">"}};
  for (const auto& [one, other] : kOpposites) {
    if (sign == one) return other;
  }
  return "";
}

/// Whether it is true or false by its operator.
static bool is_test(const Expression& one) {
  if (one.is(Kind::kUnary)) return one.text == "!";
  return one.is(Kind::kBinary) &&
         (one.text == "&&" || one.text == "||" || *opposite(one.text) != '\0');
}

/// The width of a cast that an operator takes up in the width of its own result; 0 where there is
/// none.
static unsigned width_of_cast(const Expression& one, bool is_taken_up) {
  const auto of = [&](std::size_t i) { return width_of_cast(one.operands[i], true); };
  switch (one.kind) {
    case Kind::kCast: {
      const Expression& operand = one.operands[0];
      const bool is_extension = operand.is(Kind::kCall) && operand.text == "$signed";
      return is_taken_up && !is_extension ? one.width : 0;
    }
    case Kind::kUnary:
      return one.text == "~" || one.text == "-" ? of(0) : 0;
    case Kind::kBinary:
      if (is_test(one)) return 0;
      return of(0) != 0 || one.text.starts_with("<<") || one.text.starts_with(">>") ? of(0) : of(1);
    case Kind::kChoice:
      return of(1) != 0 ? of(1) : of(2);
    default:
      return 0;
  }
}

/// An operand that has its width from itself. Yosys 0.23 to 0.70 take a cast within an operator, as
/// in {s, (z ? 15'd0 : 15'(x >> 16))}, for as wide as the cast's operand, if that is wider.
static Expression sized_by_itself(Expression one) {
  const unsigned width = width_of_cast(one, false);
  return width == 0 ? one : cast(width, std::move(one));
}

Expression unary(const char* sign, Expression operand) {
  if (std::string_view(sign) == "!") {
    if (operand.is(Kind::kUnary) && operand.text == "!") return operand.operands[0];
    if (operand.is(Kind::kBinary) && *opposite(operand.text) != '\0') {
      operand.text = opposite(operand.text);
      return operand;
    }
  }
  // Verilator 5.006 takes the complement of a test among zeros for a signed number, which it then
  // shifts into a wider word: ~{31'd0, a == b}.
  if (std::string_view(sign) == "~" && operand.is(Kind::kConcatenation) &&
      operand.operands.size() == 2 && is_zeros(operand.operands[0]) &&
      is_test(operand.operands[1])) {
    operand.operands[0] = literal_of(llvm::APInt::getAllOnes(operand.operands[0].width));
    operand.operands[1] = unary("!", operand.operands[1]);
    return operand;
  }
  if (std::string_view("&|^").find(sign) != std::string_view::npos) {
    operand = sized_by_itself(std::move(operand));
  }
  return make(Kind::kUnary, sign, {std::move(operand)});
}
Expression binary(Expression left, const char* sign, Expression right) {
  const std::string_view one = sign;
  if (one == "&&" || one == "||") {
    const char* neutral = one == "&&" ? "b1" : "b0";
    if (is_bit(left, neutral)) return right;
    if (is_bit(right, neutral)) return left;
  }
  return make(Kind::kBinary, sign, {std::move(left), std::move(right)});
}
/// The parts of a value from its highest bit on, numbers bit by bit; wider numbers in hexadecimal
/// are one part.
static std::vector<Expression> bits_and_parts(const Expression& value) {
  if (value.is(Kind::kConcatenation)) {
    std::vector<Expression> parts;
    for (const Expression& one : value.operands) {
      const std::vector<Expression> inner = bits_and_parts(one);
      parts.insert(parts.end(), inner.begin(), inner.end());
    }
    return parts;
  }
  if (!value.is(Kind::kNumber) || value.width < 2 || value.text[0] != 'd') return {value};
  std::vector<Expression> bits;
  const unsigned long number = std::stoul(value.text.substr(1));
  for (unsigned i = value.width; i-- > 0;) {
    const bool is_set = i < 64 && (number >> i & 1) != 0;
    bits.push_back(literal_of(llvm::APInt(1, is_set ? 1 : 0)));
  }
  return bits;
}

/// `c ? {1'b1, x} : {1'b0, x}` is `{c, x}`; none for any other choice.
static Expression bit_of_choice(const Expression& condition, const Expression& first,
                                const Expression& second) {
  if (!first.is(Kind::kConcatenation) || !second.is(Kind::kConcatenation)) return {};
  std::vector<Expression> parts = bits_and_parts(first);
  const std::vector<Expression> others = bits_and_parts(second);
  if (parts.size() != others.size()) return {};
  unsigned differing = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == others[i]) continue;
    if (!is_bit(parts[i], "b1") || !is_bit(others[i], "b0")) return {};
    parts[i] = condition;
    ++differing;
  }
  return differing == 1 ? concatenation(parts) : Expression();
}

Expression choice(Expression condition, Expression first, Expression second) {
  if (Expression bit = bit_of_choice(condition, first, second); !bit.empty()) return bit;
  return make(Kind::kChoice, "", {std::move(condition), std::move(first), std::move(second)});
}
Expression replication(unsigned copies, Expression operand) {
  if (copies == 1) return operand;
  return sized(Kind::kReplication, copies, {sized_by_itself(std::move(operand))});
}
Expression element(Expression base, Expression index) {
  return make(Kind::kElement, "", {std::move(base), std::move(index)});
}
Expression slice(Expression base, unsigned high, unsigned low, unsigned whole, unsigned unit) {
  if (low == 0 && high + 1 == whole) return base;
  Expression made = sized(Kind::kSlice, high - low + 1, {std::move(base)});
  made.high = high;
  made.low = low;
  made.whole = whole;
  made.unit = unit;
  return made;
}
Expression slice_of(Expression base, Expression index, unsigned unit, unsigned low,
                    unsigned width) {
  Expression made = sized(Kind::kSlice, width, {std::move(base), std::move(index)});
  made.high = low + width - 1;
  made.low = low;
  made.unit = unit;
  return made;
}
Expression part(Expression base, Expression index, unsigned width) {
  return sized(Kind::kPart, width, {std::move(base), std::move(index)});
}
Expression element_of(Expression vector, unsigned i, unsigned width, unsigned count) {
  return slice(std::move(vector), (i + 1) * width - 1, i * width, count * width,
               width > 1 ? width : 0);
}
Expression element_of(Expression vector, Expression index, unsigned width) {
  return width > 1 ? slice_of(std::move(vector), std::move(index), width, 0, width)
                   : element(std::move(vector), std::move(index));
}
Expression field(Expression base, const std::string& member, unsigned high, unsigned low,
                 unsigned whole) {
  Expression made = make(Kind::kField, member, {std::move(base)});
  made.width = high - low + 1;
  made.high = high;
  made.low = low;
  made.whole = whole;
  return made;
}
Expression cast(unsigned width, Expression operand) {
  return sized(Kind::kCast, width, {std::move(operand)});
}
Expression call(const char* function, Expression operand) {
  return call(function, std::vector<Expression>{std::move(operand)});
}
Expression call(const char* function, std::vector<Expression> operands) {
  for (Expression& one : operands) one = sized_by_itself(std::move(one));
  return make(Kind::kCall, function, std::move(operands));
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

llvm::APInt value_of(const Expression& number) {
  const std::uint8_t radix = number.text[0] == 'h' ? 16 : number.text[0] == 'b' ? 2 : 10;
  return llvm::APInt(number.width, number.text.substr(1), radix);
}

Expression joined(const Expression& high, const Expression& low) {
  if (is_zeros(high) && is_zeros(low)) return zeros(high.width + low.width);
  if (high.kind != low.kind) return {};
  if (high.is(Kind::kSlice)) {
    if (high.operands.size() != 1) return {};
    const bool follow = high.operands == low.operands && high.low == low.high + 1;
    return follow ? slice(high.operands[0], high.high, low.low, high.whole, high.unit)
                  : Expression();
  }
  if (!high.is(Kind::kChoice) || high.operands[0] != low.operands[0]) return {};
  const Expression first = joined(high.operands[1], low.operands[1]);
  const Expression second = joined(high.operands[2], low.operands[2]);
  if (first.empty() || second.empty()) return {};
  return choice(high.operands[0], first, second);
}

Expression concatenation(const std::vector<Expression>& parts) {
  std::vector<Expression> all;
  const auto add = [&](const Expression& one) {
    const Expression both = all.empty() ? Expression() : joined(all.back(), one);
    if (both.empty()) {
      all.push_back(one);
    } else {
      all.back() = both;
    }
  };
  for (const Expression& one : parts) {
    if (one.is(Kind::kConcatenation)) {
      std::for_each(one.operands.begin(), one.operands.end(), add);
    } else {
      add(one);
    }
  }
  if (all.size() == 1) return all[0];
  std::transform(all.begin(), all.end(), all.begin(), sized_by_itself);
  return make(Kind::kConcatenation, "", std::move(all));
}

Expression constant_concatenation(const std::vector<Expression>& parts) {
  llvm::APInt all = llvm::APInt::getZeroWidth();
  for (const Expression& one : parts) {
    if (!one.is(Kind::kNumber) || one.text[0] == 's') return concatenation(parts);
    all = all.concat(value_of(one));
  }
  return literal_of(all);
}

static bool is_chained(const std::string& sign) {
  return sign == "&" || sign == "|" || sign == "^" || sign == "&&" || sign == "||";
}

bool is_enclosed(const Expression& parent, std::size_t operand) {
  const Expression& one = parent.operands[operand];
  const bool is_operator = one.is(Kind::kBinary) || one.is(Kind::kChoice);
  switch (parent.kind) {
    case Kind::kUnary:
      return is_operator || one.is(Kind::kUnary) || one.is(Kind::kCast);  // Yosys 0.23: -8'(x)
    case Kind::kBinary: {
      if (one.is(Kind::kUnary)) return one.text != "!" && one.text != "~";
      if (!one.is(Kind::kBinary)) return is_operator;
      if (is_chained(parent.text)) return one.text != parent.text;
      const auto adds = [](const Expression& sum) { return sum.text == "+" || sum.text == "-"; };
      return operand == 1 || !adds(parent) || !adds(one);
    }
    case Kind::kChoice:
      if (one.is(Kind::kBinary)) return operand == 0 || is_chained(one.text);
      return operand < 2 && one.is(Kind::kChoice);
    case Kind::kConcatenation:
      return one.is(Kind::kChoice);
    case Kind::kElement:
    case Kind::kSlice:
    case Kind::kPart:
      return operand == 0 && is_operator;
    default:
      return false;
  }
}

bool contains(const Expression& expression, Kind kind) {
  return expression.is(kind) ||
         std::any_of(expression.operands.begin(), expression.operands.end(),
                     [kind](const Expression& one) { return contains(one, kind); });
}

bool is_enumerator(const Expression& expression) {
  return expression.is(Expression::Kind::kName) && !expression.text.empty() &&
         std::isupper(static_cast<unsigned char>(expression.text[0])) != 0;
}

std::string root_of(const Expression& expression) {
  const bool is_part = expression.is(Kind::kElement) || expression.is(Kind::kSlice) ||
                       expression.is(Kind::kPart) || expression.is(Kind::kField);
  return is_part                      ? root_of(expression.operands[0])
         : expression.is(Kind::kName) ? expression.text
                                      : "";
}

/// How strongly an index's operator binds; names and numbers bind most.
static int binding_of(const Expression& one) {
  if (!one.is(Kind::kBinary)) return one.is(Kind::kChoice) ? 0 : 3;
  return one.text == "*" || one.text == "/" ? 2 : one.text == "+" || one.text == "-" ? 1 : 0;
}

/// "i*2 + 1", "i*(29 - i)/2"
static std::string index_text(const Expression& one) {
  const int binding = binding_of(one);
  if (binding == 0 || binding == 3) return to_text(one);
  const auto operand = [&](std::size_t i) {
    const int inner = binding_of(one.operands[i]);
    const bool is_loose = inner < binding || (i == 1 && inner == binding);
    return is_loose ? fmt::format("({})", index_text(one.operands[i]))
                    : index_text(one.operands[i]);
  };
  const std::string sign = binding == 2 ? one.text : " " + one.text + " ";
  return operand(0) + sign + operand(1);
}

/// "[7:4]", "[3]"; in a vector of elements "[2*8 +: 8]", "[2*8 + 4 +: 3]", "[i*8 + 7]".
static std::string place_of(const Expression& slice) {
  const auto [high, low, unit] = std::tuple(slice.high, slice.low, slice.unit);
  const bool is_aligned = unit > 1 && low % unit == 0 && (high + 1) % unit == 0;
  std::string element = std::to_string(unit > 1 ? low / unit : 0);
  if (slice.operands.size() == 2) {
    const Expression& index = slice.operands[1];
    element = binding_of(index) < 2 ? fmt::format("({})", index_text(index)) : index_text(index);
  }
  if (is_aligned) {
    const unsigned count = slice.width / unit;
    return count == 1 ? fmt::format("[{}*{} +: {}]", element, unit, unit)
                      : fmt::format("[{}*{} +: {}*{}]", element, unit, count, unit);
  }
  if (unit > 1 && low / unit == high / unit) {
    const unsigned inside = low % unit;
    const std::string start =
        fmt::format("{}*{}{}", element, unit, inside == 0 ? "" : fmt::format(" + {}", inside));
    return high == low ? fmt::format("[{}]", start) : fmt::format("[{} +: {}]", start, slice.width);
  }
  return high == low ? fmt::format("[{}]", high) : fmt::format("[{}:{}]", high, low);
}

std::string to_text(const Expression& one) {
  const auto operand = [&](std::size_t i) {
    const std::string text = to_text(one.operands[i]);
    return is_enclosed(one, i) ? "(" + text + ")" : text;
  };
  const auto list = [&] {
    std::string text;
    for (std::size_t i = 0; i < one.operands.size(); ++i) text += (i == 0 ? "" : ", ") + operand(i);
    return text;
  };
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
    case Kind::kConcatenation:
      return fmt::format("{{{}}}", list());
    case Kind::kReplication:
      return fmt::format("{{{}{{{}}}}}", one.width, operand(0));
    case Kind::kElement:
      return fmt::format("{}[{}]", operand(0), index_text(one.operands[1]));
    case Kind::kSlice:
      return operand(0) + place_of(one);
    case Kind::kPart:
      return fmt::format("{}[{} +: {}]", operand(0), operand(1), one.width);
    case Kind::kField:
      return fmt::format("{}.{}", operand(0), one.text);
    case Kind::kCast:
      return fmt::format("{}'({})", one.width, operand(0));
    case Kind::kCall:
      return fmt::format("{}({})", one.text, list());
  }
  return "";
}

}  // namespace systole::compiler::sv
