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
  for (int i = 0; i < count; ++i) text += one(scope, indent);
  return text;
}

std::string Statements::one(Scope& scope, int indent) {
  const bool may_nest = nesting_ < kDeepestNesting;
  switch (random_.below(14)) {
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
      if (may_return_ && scope.counters.empty()) return early_return(scope, indent);
      break;
    case 8:
    case 9:
    case 10:
      return declaration(scope, indent);
    default:
      break;
  }
  return assignment(scope, indent);
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
  const Array array{fresh("local"), random_type(random_), random_.between(2, 6), false};
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
  text += block(random_.between(1, 2), inside, indent + 2);
  if (style == 1) text += fmt::format("{}  ++{};\n", margin, counter);
  return text + margin + "}\n";
}

std::string Statements::early_return(Scope& scope, int indent) {
  const std::string value =
      return_text_.empty() ? expressions_.of(returns_, scope, kDepth - 1) : return_text_;
  return fmt::format("{}if ({}) return {};\n", spaces(indent),
                     expressions_.of({ValueType::kBool, 1}, scope, 2), value);
}

}  // namespace systole::tests
