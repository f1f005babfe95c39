#include "tests/campaign/loop_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tests/campaign/statements.h"
#include "tests/campaign/tables.h"

namespace systole::tests {
namespace {

constexpr int kWidestWord = 128;  ///< that a function over arrays has at its ports

class LoopWriter {
 public:
  LoopWriter(Random& random, std::string name)
      : random_(random),
        spellings_(Random(random).bits() ^ 0x5be11ed),  // leaves the kernel of a seed as it was
        name_(std::move(name)),
        expressions_(random),
        statements_(random, expressions_) {}

  std::string run() {
    Scope scope;
    std::string before;
    random_tables(random_, name_, before, scope);
    write_parameters(scope);
    for (int i = random_.between(1, 2); i > 0; --i) local_array(scope);
    for (int i = random_.between(1, 3); i > 0; --i) {
      if (one_in(3)) text_ += statements_.some(1, scope, 2);
      if (one_in(3)) {
        nest(scope, 2, random_.between(1, 2));
      } else if (one_in(4)) {
        picked_places(scope);
      } else if (one_in(4)) {
        sums(scope);
      } else {
        loop(scope, 2, 0);
      }
      text_ += statements_.walks().perhaps(2, scope, "  ");
      text_ += statements_.moves().perhaps(4, scope, "  ");
    }
    if (spellings_.below(4) == 0) streams();
    if (spellings_.below(3) == 0) sum_in_copies(scope);
    text_ += results_;
    return fmt::format("{}void {}({}) {{\n{}}}\n\n", before, name_, parameters_, text_);
  }

 private:
  bool one_in(std::uint32_t count) { return random_.below(count) == 0; }
  std::string spaces(int indent) const {
    return std::string(static_cast<std::size_t>(indent), ' ');
  }

  void parameter(const std::string& text) {
    parameters_ += (parameters_.empty() ? "" : ", ") + text;
  }

  static std::string plain(const std::string& name, Spelling spelling) {
    return spelling == Spelling::kPlain ? name : fmt::format("plain({})", name);
  }

  Spelling spelling_of(const ValueType& type) {
    return type.width > kWidestWord ? Spelling::kPlain : random_spelling(spellings_);
  }
  /// A name as private members have it, which ports have without its underscore.
  std::string random_name(const std::string& name) {
    return spellings_.below(8) == 0 ? name + "_" : name;
  }

  void write_parameters(Scope& scope) {
    constexpr std::array kSizes = {3, 4, 8, 11, 16, 20};
    for (int i = random_.between(2, 4); i > 0; --i) {
      const ValueType type = random_integer(random_, kWidestWord);
      const int size = any_of(random_, kSizes);
      const bool writable = i == 1 || one_in(2);
      const std::string array = random_name(fmt::format("array{}", i));
      const Spelling spelling = spelling_of(type);
      parameter(fmt::format("{}{}& {}", writable ? "" : "const ",
                            random_array(spellings_, spelled(type, spelling), size), array));
      scope.arrays.push_back({.name = array,
                              .type = type,
                              .size = size,
                              .any_index = true,
                              .writable = writable,
                              .is_plain = spelling == Spelling::kPlain});
    }
    for (int i = random_.between(1, 3); i > 0; --i) {
      const ValueType type = random_integer(random_, kWidestWord);
      const std::string scalar = random_name(fmt::format("input{}", i));
      const Spelling spelling = spelling_of(type);
      parameter(fmt::format("const {}& {}", spelled(type, spelling), scalar));
      scope.add(plain(scalar, spelling), Compound(type));
    }
    parameter("const UInt<3>& turns");
    for (int i = random_.between(1, 2); i > 0; --i) {
      const ValueType type = random_integer(random_, kWidestWord);
      const std::string name = random_name(fmt::format("result{}", i));
      const std::string local = fmt::format("kept{}", i);
      const Spelling spelling = spelling_of(type);
      const std::string result = plain(name, spelling);
      parameter(fmt::format("{}& {}", spelled(type, spelling), name));
      const bool starts_from_it = one_in(3);
      text_ += fmt::format("  {} {} = {};\n", type.text(), local,
                           starts_from_it ? result : expressions_.literal(type));
      scope.add(local, Compound(type), true);
      results_ += fmt::format("  {} = {};\n", result, local);
    }
  }

  /// Elements of one stream go, cut or extended, to another.
  void streams() {
    const auto element = [&](const char* name) {
      const ValueType type = random_integer(spellings_, kWidestWord);
      const std::string text = spelled(type, spelling_of(type));
      parameter(fmt::format("Stream<{}>& {}", text, name));
      return std::pair(type, text);
    };
    const auto [from, from_text] = element("from");
    const auto [to, to_text] = element("to");
    text_ += fmt::format(
        "  for (int n = 0; n < {}; ++n) {{\n    const {} taken = from.pop();\n    {} given = 0;\n"
        "    plain(given) = fit<{}>(plain(taken));\n    to.push(given);\n  }}\n",
        spellings_.between(1, 9), from_text, to_text, to.text());
  }

  void local_array(Scope& scope) {
    const ValueType type = random_integer(random_);
    const int size = 1 << random_.between(1, 4);
    const std::string array = fmt::format("memory{}", arrays_++);
    const Spelling spelling = spelling_of(type);
    text_ +=
        fmt::format("  {} {};\n", random_array(spellings_, spelled(type, spelling), size), array);
    scope.arrays.push_back({.name = array,
                            .type = type,
                            .size = size,
                            .any_index = true,
                            .writable = true,
                            .is_plain = spelling == Spelling::kPlain});
  }

  /// A write of an element by a counter or a value: what a schedule can get wrong.
  std::string element_write(Scope& scope, int indent) {
    std::vector<Array> writable;
    for (const Array& one : scope.arrays) {
      if (one.writable && one.member.empty()) writable.push_back(one);
    }
    if (writable.empty()) return "";
    const Variable target = expressions_.element(any_of(random_, writable), scope);
    const std::string value =
        one_in(5) ? slow_value(target.type, scope) : expressions_.of(target.type, scope, 3);
    return fmt::format("{}{} = {};\n", spaces(indent), target.text, value);
  }

  /// A value that takes several clocks: a quotient, a remainder, or a unit's.
  std::string slow_value(const ValueType& type, Scope& scope) {
    const auto argument = [&](ValueType::Kind kind, int width) {
      return expressions_.of(ValueType{kind, width}, scope, 2);
    };
    std::string value;
    switch (random_.below(4)) {
      case 0:
      case 1: {
        const auto operand = [&] {
          const bool is_signed = one_in(3);
          return argument(is_signed ? ValueType::kInt : ValueType::kUInt,
                          random_.between(is_signed ? 2 : 1, 19));
        };
        const std::string dividend = operand();
        value = fmt::format("({}) {} not_zero({})", dividend, one_in(2) ? '/' : '%', operand());
        break;
      }
      case 2:
        value = fmt::format("Pipeline<&blend, 3>::call({}, {})", argument(ValueType::kUInt, 11),
                            argument(ValueType::kUInt, 9));
        break;
      default:
        value = fmt::format("Pipeline<&weigh, 2>::call({}, {}, {})", argument(ValueType::kInt, 13),
                            argument(ValueType::kUInt, 6), argument(ValueType::kInt, 13));
    }
    return type.kind == ValueType::kBool ? fmt::format("({}).raw() != 0", value)
                                         : fmt::format("fit<{}>({})", type.text(), value);
  }

  /// Loops around one another with nothing but writes between them: what may become one loop. The
  /// accesses of the inner one may meet those around it.
  void nest(const Scope& outer, int indent, int depth) {
    Scope scope = outer;
    const std::string counter = fmt::format("step{}", loops_++);
    constexpr std::array kCounts = {1, 2, 3, 4, 5, 8};
    const int count = any_of(random_, kCounts);
    text_ += spaces(indent) + head(counter, count);
    scope.counters.push_back({counter, count});
    if (one_in(2)) text_ += element_write(scope, indent + 2);
    if (depth > 0) {
      nest(scope, indent + 2, depth - 1);
      if (one_in(2)) text_ += element_write(scope, indent + 2);
    } else {
      text_ += element_write(scope, indent + 2);
    }
    text_ += spaces(indent) + "}\n";
  }

  std::string head(const std::string& counter, int count) const {
    return fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{\n", counter, count);
  }

  /// Reads and writes of one array at places that data picks, often the same ones: what a write
  /// passes on to a later iteration's read.
  void picked_places(const Scope& outer) {
    Scope scope = outer;
    const ValueType type = random_integer(random_);
    const int bits = random_.between(1, 3);
    const std::string array = fmt::format("memory{}", arrays_++);
    const std::string counter = fmt::format("step{}", loops_++);
    const int count = random_.between(3, 11);
    const auto place = [&] {
      return fmt::format("static_cast<int>({}.value())",
                         expressions_.of(ValueType{ValueType::kUInt, bits}, scope, 2));
    };
    text_ +=
        fmt::format("  Vec<{}, {}> {};\n  {}", type.text(), 1 << bits, array, head(counter, count));
    scope.counters.push_back({counter, count});
    text_ += fmt::format("    const int from = {};\n    const int to = {};\n", place(),
                         one_in(2) ? "from" : place());
    text_ += fmt::format("    const {} old = {}[from];\n", type.text(), array);
    scope.add("old", Compound(type));
    const std::string guard =
        one_in(3)
            ? fmt::format("if ({}) ", expressions_.of(ValueType{ValueType::kBool, 1}, scope, 2))
            : "";
    text_ += fmt::format("    {}{}[to] = {};\n", guard, array, expressions_.of(type, scope, 3));
    text_ += element_write(scope, 4) + "  }\n";
  }

  /// Sums of products: one that starts over around the inner loop, and one that goes on.
  void sums(Scope& outer) {
    const auto number = [&](int least, int most) {
      return ValueType{ValueType::kInt, random_.between(least, most)};
    };
    const ValueType type = number(8, 40);
    const std::string total = fmt::format("total{}", loops_);
    text_ += fmt::format("  {} {} = {};\n", type.text(), total, expressions_.literal(type));
    const auto open = [&](Scope& scope, const std::string& indent) {
      const std::string counter = fmt::format("step{}", loops_++);
      const int count = random_.between(1, 7);
      text_ += indent + head(counter, count);
      scope.counters.push_back({counter, count});
    };
    Scope row = outer;
    open(row, "  ");
    const std::string start =
        one_in(2) ? expressions_.literal(type) : expressions_.of(type, row, 2);
    text_ += fmt::format("    {} sum = {};\n", type.text(), start);
    Scope inner = row;
    open(inner, "    ");
    const auto product = [&] {
      const std::string factor = expressions_.of(number(2, 18), inner, 2);
      return fmt::format("{} * {}", factor, expressions_.of(number(2, 18), inner, 2));
    };
    text_ += fmt::format("      sum += {};\n", product());
    text_ += fmt::format("      {} += {};\n", total, one_in(2) ? "sum" : product());
    text_ += "    }\n";
    row.add("sum", Compound(type));
    row.add(total, Compound(type));
    text_ += element_write(row, 4) + "  }\n";
    outer.add(total, Compound(type));
  }

  /// A sum of as many iterations as data says, some at once.
  void sum_in_copies(const Scope& outer) {
    constexpr std::array<const char*, 5> kHeads = {
        "  const int many = static_cast<int>(turns.value());\n"
        "  for (int {0} = 0; {0} < many; ++{0}) {{\n",
        "  for (int {0} = 0; {0} < static_cast<int>(turns.value()); ++{0}) {{\n",
        "  for (std::size_t {0} = 0; {0} < turns.value(); ++{0}) {{\n",
        "  for (UInt<4> n{0} = 0; n{0} < turns; ++n{0}) {{\n"
        "    const int {0} = static_cast<int>(n{0}.value());\n",
        "  for (UInt<3> n{0} = 0; n{0} != turns; ++n{0}) {{\n"
        "    const int {0} = static_cast<int>(n{0}.value());\n",
    };
    const ValueType type = random_integer(random_, kWidestWord);
    const std::string counter = fmt::format("step{}", loops_++);
    text_ += fmt::format("  {} in_copies = {};\n", type.text(), expressions_.literal(type));
    text_ += fmt::format(fmt::runtime(any_of(spellings_, kHeads)), counter);
    text_ += fmt::format("    unroll<{}>();\n", random_.between(2, 4));
    Scope scope = outer;
    scope.counters.push_back({counter, 7});
    const bool is_xor = one_in(3);
    scope.add("in_copies", Compound(type));
    text_ += fmt::format("    in_copies {}= fit<{}>({});\n  }}\n", is_xor ? '^' : '+', type.text(),
                         expressions_.of(type, scope, 2));
    text_ += fmt::format("  kept1 = fit<decltype(kept1)>(in_copies);\n");
  }

  void loop(const Scope& outer, int indent, int depth) {
    Scope scope = outer;
    const std::string counter = fmt::format("step{}", loops_++);
    constexpr std::array kCounts = {1, 2, 3, 4, 7, 8, 11};
    const int count = depth == 2 ? random_.between(1, 4) : any_of(random_, kCounts);
    std::string bound = std::to_string(count);
    const bool varies = count >= 7 && one_in(3);
    if (varies) bound = "static_cast<int>(turns.value())";
    text_ +=
        fmt::format("{0}for (int {1} = 0; {1} < {2}; ++{1}) {{\n", spaces(indent), counter, bound);
    scope.counters.push_back({counter, count});
    const int inside = indent + 2;
    const bool may_leave = one_in(5);
    if (!may_leave && one_in(6)) {
      text_ += spaces(inside) + "sequential();\n";
    } else if (!may_leave && !varies && count % 2 == 0 && one_in(5)) {
      text_ += spaces(inside) + "unroll<2>();\n";
    } else if (!may_leave && varies && statements_.walks().one_in(3)) {
      text_ += spaces(inside) + "unroll<2>();\n";
    }
    for (int i = random_.between(1, 3); i > 0; --i) {
      text_ += one_in(2) ? element_write(scope, inside) : statements_.some(1, scope, inside);
    }
    if (depth < 2 && one_in(2)) {
      loop(scope, inside, depth + 1);
      if (one_in(2)) text_ += element_write(scope, inside);
    }
    if (may_leave) {
      text_ += fmt::format("{}if ({}) break;\n", spaces(inside),
                           expressions_.of(ValueType{ValueType::kBool, 1}, scope, 2));
    }
    text_ += spaces(indent) + "}\n";
  }

  Random& random_;
  Random spellings_;
  std::string name_;
  Expressions expressions_;
  Statements statements_;
  std::string parameters_;
  std::string text_;
  std::string results_;
  int loops_ = 0;
  int arrays_ = 0;
};

}  // namespace

std::string random_loops(Random& random, const std::string& name) {
  return LoopWriter(random, name).run();
}

}  // namespace systole::tests
