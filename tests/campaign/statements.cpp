#include "tests/campaign/statements.h"

#include <algorithm>
#include <set>

namespace systole::tests {
namespace {

constexpr int kDepth = 3;
constexpr int kDeepestNesting = 2;

std::string spaces(int indent) { return std::string(static_cast<std::size_t>(indent), ' '); }

}  // namespace

std::string Statements::some(int count, Scope& scope, int indent) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += one(scope, indent);
    text += walks_.perhaps(5, scope, spaces(indent));
    text += moves_.perhaps(9, scope, spaces(indent));
  }
  return text;
}

std::string Statements::one(Scope& scope, int indent) {
  const bool may_nest = nesting_ < kDeepestNesting;
  switch (random_.below(19)) {
    case 0:
    case 1:
      if (may_nest) return choice(scope, indent);
      break;
    case 2:
    case 3:
      if (may_nest) return loop(scope, indent);
      break;
    case 4:
      if (may_nest) return switch_over(scope, indent);
      break;
    case 5:
      if (nesting_ == 0) return array_declaration(scope, indent);
      break;
    case 6:
      if (nesting_ == 0) return lambda(scope, indent);
      break;
    case 7:
      if (may_return_) return early_return(scope, indent);
      break;
    case 8:
    case 9:
    case 10:
      return declaration(scope, indent);
    case 11:
      if (leaving_ != Leaving::kNot) return leave(scope, indent);
      break;
    case 12:
    case 13:
      return compound_assignment(scope, indent);
    case 14:
      return bit_write(scope, indent);
    case 15:
      return fill(scope, indent);
    default:
      break;
  }
  return assignment(scope, indent);
}

std::string Statements::leave(Scope& scope, int indent) {
  const bool goes_on = leaving_ == Leaving::kBreakOrContinue && one_in(2);
  return fmt::format("{}if ({}) {};\n", spaces(indent),
                     expressions_.of({ValueType::kBool, 1}, scope, 2),
                     goes_on ? "continue" : "break");
}

std::string Statements::compound_assignment(Scope& scope, int indent) {
  std::vector<const Variable*> numbers;
  for (const Variable& one : scope.writable) {
    if (one.type.kind != ValueType::kBool) numbers.push_back(&one);
  }
  if (numbers.empty()) return assignment(scope, indent);
  const Variable to = *any_of(random_, numbers);
  const std::string margin = spaces(indent);
  const auto value = [&](const ValueType& type) {
    return expressions_.of(type, scope, kDepth - 1);
  };
  switch (random_.below(5)) {
    case 0:
      return one_in(2) ? fmt::format("{}{}{};\n", margin, one_in(2) ? "++" : "--", to.text)
                       : fmt::format("{}{}{};\n", margin, to.text, one_in(2) ? "++" : "--");
    case 1: {
      const char* shift = one_in(2) ? "<<=" : ">>=";
      if (one_in(2)) {
        return fmt::format("{}{} {} {};\n", margin, to.text, shift, random_.below(to.type.width));
      }
      return fmt::format("{}{} {} {};\n", margin, to.text, shift,
                         value({ValueType::kUInt, random_.between(1, 8)}));
    }
    case 2: {
      const int bits = std::min(to.type.width - to.type.is_signed(), 20);
      return fmt::format("{}{} {} {};\n", margin, to.text,
                         one_in(2) ? "/=" : "%=", 1 + random_.below((1u << bits) - 1));
    }
    default: {
      constexpr const char* kOperators[] = {"+=", "-=", "*=", "&=", "|=", "^="};
      const std::uint32_t which = random_.below(6);
      ValueType type = to.type;
      if (one_in(3)) type.width = random_width(random_, 2);
      if (which < 3 && one_in(4)) type = random_integer(random_);
      return fmt::format("{}{} {} {};\n", margin, to.text, kOperators[which], value(type));
    }
  }
}

/// x[i] = bit: by a constant, by the counter of a loop or by a value, which may be beyond x.
std::string Statements::bit_write(Scope& scope, int indent) {
  std::vector<const Variable*> numbers;
  for (const Variable& one : scope.writable) {
    if (one.type.kind != ValueType::kBool) numbers.push_back(&one);
  }
  if (numbers.empty()) return assignment(scope, indent);
  const Variable to = *any_of(random_, numbers);
  std::string place = std::to_string(random_.below(to.type.width));
  if (one_in(3)) {
    place = expressions_.of({ValueType::kUInt, random_.between(1, 7)}, scope, kDepth - 1);
  }
  for (const Counter& counter : scope.counters) {
    if (counter.count <= to.type.width && one_in(2)) place = counter.name;
  }
  return fmt::format("{}{}[{}] = {};\n", spaces(indent), to.text, place,
                     expressions_.of({ValueType::kBool, 1}, scope, 2));
}

/// Every element of an array the same.
std::string Statements::fill(Scope& scope, int indent) {
  std::vector<const Array*> writable;
  for (const Array& array : scope.arrays) {
    if (array.writable) writable.push_back(&array);
  }
  if (writable.empty()) return assignment(scope, indent);
  const Array& array = *any_of(random_, writable);
  const std::string value =
      one_in(2) ? expressions_.literal(array.type) : expressions_.of(array.type, scope, kDepth - 1);
  const std::string n = fresh("n");
  return fmt::format("{0}for (int {1} = 0; {1} < {2}; ++{1}) {3} = {4};\n", spaces(indent), n,
                     array.size, array.at(n), value);
}

std::string Statements::declaration(Scope& scope, int indent) {
  if (!scope.types.empty() && one_in(3)) {
    const Compound& type = any_of(random_, scope.types);
    const std::string name = fresh("value");
    const bool writable = !one_in(3);
    const std::string value = expressions_.of(type, scope, kDepth - 1);
    scope.add(name, type, writable);
    return fmt::format("{}{}{} = {};\n", spaces(indent), writable ? "" : "const ",
                       type.declared(name), value);
  }
  const ValueType type = random_type(random_);
  const Variable local{fresh("value"), type};
  const bool constant = one_in(2);
  const std::string text =
      fmt::format("{}{}{} {} = {};\n", spaces(indent), constant ? "const " : "", type.text(),
                  local.text, expressions_.of(type, scope, kDepth));
  scope.readable.push_back(local);
  if (!constant) scope.writable.push_back(local);
  return text;
}

std::string Statements::array_declaration(Scope& scope, int indent) {
  const Array array{fresh("local"), random_type(random_), random_.between(2, 6), one_in(2)};
  const std::string counter = fresh("n");
  Scope inside = scope;
  inside.counters.push_back({counter, array.size});
  const std::string text =
      fmt::format("{0}{1} {2}[{3}];\n{0}for (int {4} = 0; {4} < {3}; ++{4}) {2}[{4}] = {5};\n",
                  spaces(indent), array.type.text(), array.name, array.size, counter,
                  expressions_.of(array.type, inside, kDepth - 1));
  scope.arrays.push_back(array);
  return text;
}

std::string Statements::lambda(Scope& scope, int indent) {
  Callable function{fresh("function"), {}, random_integer(random_)};
  Scope inside = scope;
  std::string parameters;
  for (int i = random_.between(1, 2); i > 0; --i) {
    const Variable parameter{fresh("x"), random_integer(random_)};
    function.arguments.push_back(parameter.type);
    inside.readable.push_back(parameter);
    parameters +=
        (parameters.empty() ? "" : ", ") + Compound(parameter.type).parameter(parameter.text);
  }
  const std::string text = fmt::format(
      "{0}const auto {1} = [&]({2}) -> {3} {{ return {4}; }};\n", spaces(indent), function.name,
      parameters, function.result.text(), expressions_.of(function.result, inside, kDepth - 1));
  scope.functions.push_back(function);
  return text;
}

std::string Statements::assignment(Scope& scope, int indent) {
  if (!scope.arrays.empty() && (scope.writable.empty() || one_in(3))) {
    const Array& array = any_of(random_, scope.arrays);
    if (!array.writable) return declaration(scope, indent);
    const Variable to = expressions_.element(array, scope);
    return fmt::format("{}{} = {};\n", spaces(indent), to.text,
                       expressions_.of(to.type, scope, kDepth));
  }
  if (scope.writable.empty()) return declaration(scope, indent);
  const Variable& to = any_of(random_, scope.writable);
  return fmt::format("{}{} = {};\n", spaces(indent), to.text,
                     expressions_.of(to.type, scope, kDepth));
}

/// A block of its own: what it declares is gone after it.
std::string Statements::block(int count, const Scope& scope, int indent) {
  Scope inside = scope;
  ++nesting_;
  const std::string text = some(count, inside, indent);
  --nesting_;
  return text;
}

std::string Statements::choice(Scope& scope, int indent) {
  const std::string margin = spaces(indent);
  const auto condition = [&] { return expressions_.of({ValueType::kBool, 1}, scope, 2); };
  std::string text = fmt::format("{}if ({}) {{\n{}", margin, condition(),
                                 block(random_.between(1, 2), scope, indent + 2));
  if (one_in(3)) {
    text += fmt::format("{}}} else if ({}) {{\n{}", margin, condition(),
                        block(random_.between(1, 2), scope, indent + 2));
  }
  if (one_in(2)) {
    text +=
        fmt::format("{}}} else {{\n{}", margin, block(random_.between(1, 2), scope, indent + 2));
  }
  return text + margin + "}\n";
}

std::string Statements::switch_over(Scope& scope, int indent) {
  const std::string margin = spaces(indent);
  const ValueType type{ValueType::kUInt, random_.between(1, 6)};
  std::string text =
      fmt::format("{}switch (({}).value()) {{\n", margin, expressions_.of(type, scope, kDepth - 1));
  const Leaving around = leaving_;  // in a switch, break is the switch's
  leaving_ = Leaving::kNot;
  std::set<std::uint32_t> cases;
  for (int i = random_.between(1, 5); i > 0; --i) cases.insert(random_.below(1u << type.width));
  for (const std::uint32_t value : cases) {
    text += fmt::format("{}  case {}: {{\n{}", margin, value,
                        block(random_.between(1, 2), scope, indent + 4));
    text += fmt::format("{}    {}\n{}  }}\n", margin, one_in(5) ? "[[fallthrough]];" : "break;",
                        margin);
  }
  text += fmt::format("{}  default: {{\n{}{}  }}\n{}}}\n", margin,
                      one_in(2) ? block(1, scope, indent + 4) : spaces(indent + 4) + "break;\n",
                      margin, margin);
  leaving_ = around;
  return text;
}

std::string Statements::loop(Scope& scope, int indent) {
  const std::string margin = spaces(indent);
  const std::string counter = fresh("i");
  int count = random_.between(2, 6);
  if (!scope.arrays.empty() && !one_in(3)) {
    count = any_of(random_, scope.arrays).size;
  }
  const int style = static_cast<int>(random_.below(6));
  Scope inside = scope;
  inside.counters.push_back({style == 2 ? fmt::format("({} - 1)", counter) : counter, count});
  std::string text;
  if (style == 0) text += margin + "#pragma unroll\n";
  if (style == 1) {
    text += fmt::format("{}int {} = 0;\n{}while ({} < {}) {{\n", margin, counter, margin, counter,
                        count);
  } else if (style == 2) {
    text += fmt::format("{}for (int {} = {}; {} > 0; --{}) {{\n", margin, counter, count, counter,
                        counter);
  } else {
    text += fmt::format("{}for (int {} = 0; {} < {}; ++{}) {{\n", margin, counter, counter, count,
                        counter);
  }
  const Leaving around = leaving_;
  // What follows a branch around a `break` is written out for each of its ways, in every iteration.
  const bool is_long = count > 6;
  leaving_ = is_long ? Leaving::kNot : style == 1 ? Leaving::kBreak : Leaving::kBreakOrContinue;
  const bool may_return = may_return_;
  may_return_ = may_return && !is_long;
  text += is_long && one_in(2) ? search(inside, indent + 2)
                               : block(random_.between(1, 2), inside, indent + 2);
  leaving_ = around;
  may_return_ = may_return;
  if (style == 1) text += fmt::format("{}  ++{};\n", margin, counter);
  return text + margin + "}\n";
}

/// A loop's body that leaves it between two assignments.
std::string Statements::search(Scope& scope, int indent) {
  const std::string before = assignment(scope, indent);
  const std::string leaves = fmt::format("{}if ({}) break;\n", spaces(indent),
                                         expressions_.of({ValueType::kBool, 1}, scope, 2));
  return before + leaves + assignment(scope, indent);
}

std::string Statements::early_return(Scope& scope, int indent) {
  const std::string value =
      return_text_.empty() ? expressions_.of(returns_, scope, kDepth - 1) : return_text_;
  return fmt::format("{}if ({}) return {};\n", spaces(indent),
                     expressions_.of({ValueType::kBool, 1}, scope, 2), value);
}

}  // namespace systole::tests
