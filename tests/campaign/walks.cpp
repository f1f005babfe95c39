#include "tests/campaign/walks.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace systole::tests {

std::string Walks::perhaps(std::uint32_t times, const Scope& scope, const std::string& margin) {
  if (!one_in(times)) return "";
  const std::vector<const Variable*> numbers = scope.writable_numbers();
  if (numbers.empty()) return "";
  const Variable to = *any_of(random_, numbers);
  const std::vector<const Array*> arrays = scope.whole_element_arrays();
  const std::uint32_t kind = random_.below(8);
  if (arrays.empty() || kind == 0) return list(to, scope, margin);
  if (kind == 1) return optional(to, scope, margin);
  const Array& array = *any_of(random_, arrays);
  if (kind < 4) return reads(array, to, margin);
  return kind < 6 ? algorithm(array, to, scope, margin) : counted(array, to, margin);
}

std::string Walks::from(const ValueType& type, const std::vector<Variable>& values,
                        const Scope& scope) {
  Scope inside;
  inside.readable = values;
  if (!scope.readable.empty() && one_in(2)) {
    inside.readable.push_back(any_of(random_, scope.readable));
  }
  return fmt::format("{}({})", type.text(), expressions_.of(type, inside, 2));
}

std::string Walks::of_type(const ValueType& type, const Scope& scope) {
  return from(type, {}, scope);
}

/// One element after the other: by range-for, or by a pointer, up or down.
std::string Walks::reads(const Array& array, const Variable& to, const std::string& margin) {
  const std::string one = fresh("one");
  const auto body = [&](const std::string& element) {
    return fmt::format("{} = {};\n", to.text,
                       from(to.type, {to, {array.value(element), array.type}}));
  };
  switch (random_.below(4)) {
    case 0:
    case 1:
      return fmt::format("{}for (const auto& {} : {}) {}", margin, one, array.name, body(one));
    case 2:
      return fmt::format(
          "{0}for (const auto* {1} = std::begin({2}); {1} != std::end({2}); ++{1}) {3}", margin,
          one, array.name, body("(*" + one + ")"));
    default: {
      const char* test = one_in(2) ? "!=" : ">";
      return fmt::format(
          "{0}for (const auto* {1} = std::end({2}); {1} {3} std::begin({2});) {{\n{0}  --{1};\n"
          "{0}  {4}{0}}}\n",
          margin, one, array.name, test, body("(*" + one + ")"));
    }
  }
}

std::string Walks::algorithm(const Array& array, const Variable& to, const Scope& scope,
                             const std::string& margin) {
  const std::string all = fmt::format("std::begin({0}), std::end({0})", array.name);
  if (one_in(3)) {
    const std::string result = to.type.text();
    const std::vector<Variable> values = {{"w_sum", to.type}, {array.value("w_one"), array.type}};
    return fmt::format(
        "{0}{1} = std::accumulate({2}, {3},\n{0}    [](const {4}& w_sum, const auto& w_one) -> {4} "
        "{{ return {5}; }});\n",
        margin, to.text, all, of_type(to.type, scope), result, from(to.type, values));
  }
  // A copy, of which some elements are changed.
  const std::string copy = fresh("copy");
  std::string text = fmt::format(
      "{0}{{\n{0}  std::remove_cvref_t<decltype({1}[0])> {2}[{3}];\n"
      "{0}  std::copy({4}, std::begin({2}));\n",
      margin, array.name, copy, array.size, all);
  if (one_in(2)) {
    text += fmt::format("{}  std::swap({}[0], {}[{}]);\n", margin, copy, copy, array.size - 1);
  }
  if (one_in(3)) {
    text += fmt::format("{}  std::reverse(std::begin({}), std::end({}));\n", margin, copy, copy);
  }
  if (array.is_plain && one_in(2)) {
    text += fmt::format("{0}  std::fill(std::begin({1}) + {2}, std::end({1}), {3});\n", margin,
                        copy, random_.below(static_cast<std::uint32_t>(array.size)),
                        of_type(array.type, scope));
  }
  const auto place = random_.below(static_cast<std::uint32_t>(array.size));
  text +=
      fmt::format("{}  {} = {};\n", margin, to.text,
                  from(to.type, {{array.value(fmt::format("{}[0]", copy)), array.type},
                                 {array.value(fmt::format("{}[{}]", copy, place)), array.type}}));
  if (array.writable && one_in(2)) {
    text += fmt::format("{}  std::copy(std::begin({}), std::end({}), std::begin({}));\n", margin,
                        copy, copy, array.name);
  }
  return text + margin + "}\n";
}

std::string Walks::list(const Variable& to, const Scope& scope, const std::string& margin) {
  const auto value = [&] { return of_type(to.type, scope); };
  if (one_in(3)) {
    const std::string a = value();
    const std::string b = value();
    return fmt::format("{0}{1} = std::clamp({2}, std::min({3}, {4}), std::max({3}, {4}));\n",
                       margin, to.text, value(), a, b);
  }
  std::string values = to.text;
  for (int i = random_.between(1, 3); i > 0; --i) values += ", " + value();
  return fmt::format("{}{} = std::{}({{{}}});\n", margin, to.text, one_in(2) ? "min" : "max",
                     values);
}

/// A value that may be missing: any one, or the zeros beside the first one bit.
std::string Walks::optional(const Variable& to, const Scope& scope, const std::string& margin) {
  const std::string name = fresh("maybe");
  const bool counts = one_in(2);
  const ValueType type = counts ? ValueType{ValueType::kUInt, 5} : to.type;
  std::string text =
      fmt::format("{0}{{\n{0}  std::optional<{1}> {2};\n", margin, type.text(), name);
  if (counts) {
    const std::string x = of_type({ValueType::kUInt, random_.between(2, 12)}, scope);
    text += fmt::format(
        "{0}  if (const auto bits = {1}; bits != 0) {{\n{0}    {2} = "
        "UInt<5>::from(static_cast<std::uint64_t>(\n{0}        "
        "__builtin_c{3}z(static_cast<unsigned>(bits.value()))));\n{0}  }}\n",
        margin, x, name, one_in(2) ? 'l' : 't');
  } else {
    text +=
        fmt::format("{}  if ({}) {} = {};\n", margin,
                    expressions_.of({ValueType::kBool, 1}, scope, 2), name, of_type(type, scope));
  }
  const std::string value = from(to.type, {{"(*" + name + ")", type}});
  return text + fmt::format("{0}  if ({1}) {2} = {3};\n{0}}}\n", margin,
                            one_in(2) ? name + ".has_value()" : name, to.text, value);
}

/// A counter of 64 bits, up or down.
std::string Walks::counted(const Array& array, const Variable& to, const std::string& margin) {
  const std::string i = fresh("i");
  const int last = array.size - 1;
  const bool is_long = one_in(3);
  const bool moves = array.writable && one_in(2);
  std::string head, at, before;
  if (one_in(3)) {
    head = fmt::format("{0} {1} = {2}; {1} < {3}; ++{1}", is_long ? "long" : "std::size_t", i,
                       moves ? 1 : 0, array.size);
    at = i, before = i + " - 1";
  } else if (is_long) {
    head = fmt::format("long {0} = {1}; {0} >= 0; --{0}", i, moves ? last - 1 : last);
    at = moves ? i + " + 1" : i, before = i;
  } else {
    head = fmt::format("std::size_t {0} = {1}; {0} > 0; --{0}", i, moves ? last : array.size);
    at = moves ? i : i + " - 1", before = i + " - 1";
  }
  const auto element = [&](const std::string& place) { return array.at(place); };
  const std::string body =
      moves ? fmt::format("{} = {};", element(at),
                          from(array.type, {{element(before), array.type}, to}))
            : fmt::format("{} = {};", to.text, from(to.type, {to, {element(at), array.type}}));
  return fmt::format("{}for ({}) {}\n", margin, head, body);
}

}  // namespace systole::tests
