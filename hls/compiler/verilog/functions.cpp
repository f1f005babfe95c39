#include "hls/compiler/verilog/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "hls/compiler/verilog/nets.h"

namespace systole::compiler::sv {
namespace {

using enum Expression::Kind;

constexpr const char* kValue = "value";
constexpr unsigned kLeastOperators = 3;

/// An expression of one value.
struct Pattern {
  Expression body;      ///< of kValue
  Expression argument;  ///< what stands there for kValue
  unsigned width = 0;   ///< of the argument
  unsigned operators = 0;

  bool take(const Expression& one, unsigned bits) {
    if (argument.empty()) argument = one;
    if (!(argument == one)) return false;
    if (width == 0) width = bits;
    return bits == 0 || width == bits;
  }
};

/// The expression with kValue in it; false where it is of several values, or of none that is cut.
bool find(const Expression& one, Pattern& pattern, Expression& body) {
  switch (one.kind) {
    case kNumber:
      body = one;
      return true;
    case kName:
      body = is_enumerator(one) ? one : Expression(kValue);
      return is_enumerator(one) || pattern.take(one, 0);
    case kElement:
      body = kValue;
      return pattern.take(one, 0);
    case kField:  // a function's argument is no struct, which Yosys 0.23 does not read
      body = slice(kValue, one.high, one.low, one.whole);
      return pattern.take(one.operands[0], one.whole);
    case kSlice: {
      const Expression& base = one.operands[0];
      if (!base.is(kName) && !base.is(kElement)) return false;
      const unsigned unit = one.unit;
      if (one.operands.size() == 2) {
        body = slice(kValue, one.high, one.low, unit);
        return one.high < unit &&
               pattern.take(slice_of(base, one.operands[1], unit, 0, unit), unit);
      }
      if (unit > 1 && one.low / unit == one.high / unit) {
        const unsigned start = one.low / unit * unit;
        body = slice(kValue, one.high - start, one.low - start, unit);
        return pattern.take(slice(base, start + unit - 1, start, one.whole, unit), unit);
      }
      body = slice(kValue, one.high, one.low, one.whole);
      return pattern.take(base, one.whole);
    }
    case kUnary:
    case kBinary:
    case kChoice:
      ++pattern.operators;
      break;
    case kConcatenation:
    case kReplication:
    case kCast:
    case kCall:
      break;
    default:
      return false;
  }
  body = one;
  for (std::size_t i = 0; i < one.operands.size(); ++i) {
    if (!find(one.operands[i], pattern, body.operands[i])) return false;
  }
  return true;
}

std::optional<Pattern> pattern_of(const Expression& one) {
  Pattern pattern;
  const bool is_one = find(one, pattern, pattern.body) && !pattern.argument.empty();
  if (!is_one || pattern.width == 0 || pattern.operators < kLeastOperators) return std::nullopt;
  return pattern;
}

/// The bits of a function's body; 0 where they are not known.
unsigned width_of(const Expression& one, unsigned value) {
  const auto operand = [&](std::size_t i) { return width_of(one.operands[i], value); };
  switch (one.kind) {
    case kName:
      return one.text == kValue ? value : 0;
    case kNumber:
    case kSlice:
    case kCast:
      return one.width;
    case kUnary:
      return one.text == "!" || one.text == "^" ? 1 : operand(0);
    case kBinary:
      if (std::set<std::string>{"==", "!=", "<", "<=", ">", ">=", "&&", "||"}.count(one.text) !=
          0) {
        return 1;
      }
      return one.text == "<<" || one.text == ">>" ? operand(0) : std::max(operand(0), operand(1));
    case kChoice:
      return std::max(operand(1), operand(2));
    case kReplication:
      return one.width * operand(0);
    case kConcatenation: {
      unsigned all = 0;
      for (std::size_t i = 0; i < one.operands.size(); ++i) {
        if (operand(i) == 0) return 0;
        all += operand(i);
      }
      return all;
    }
    default:
      return 0;
  }
}

/// Visits each value that is read outside of loops over lanes, with its statement.
template <class Content, class Visit>
void for_each_value(Content& content, const Visit& visit) {
  for (auto& one : content.statements()) {
    if (one.is_lanes() || one.kind == Statement::Kind::kList) continue;
    visit(one, one.value);
    for (auto& port : one.ports) visit(one, port.value);
    for (auto& arm : one.arms) for_each_value(arm.body, visit);
  }
}

struct Function {
  Expression body;
  unsigned argument_width = 0;
  std::set<std::string> arguments;
  std::set<std::string> names;  ///< of what holds its value
  std::string name;
  unsigned calls = 0;
};

using Key = std::pair<std::string, unsigned>;
Key key_of(const Pattern& pattern) { return {to_text(pattern.body), pattern.width}; }

class Extractor {
 public:
  Extractor(Module& module, const Module& named) : module_(module), named_(named) {}

  void run() {
    visit(named_, [this](const Statement& one, const Expression& value) {
      if (!holder(one).empty()) held_[one.target.text] = value;
    });
    visit(named_, [this](const Statement& one, const Expression& value) {
      if (const std::string name = holder(one); !name.empty()) {
        note_name(value, name);
        note_name(expanded(value), name);
      }
    });
    visit(module_, [this](const Statement&, const Expression& value) { note(value); });
    for (const Statements& part : module_.parts) add_names(part, taken_);
    choose();
    // A function that only others' calls would contain is none.
    for (bool changed = true; changed;) {
      for (auto& [key, function] : functions_) function.calls = 0;
      visit(module_, [this](const Statement&, const Expression& value) { (void)replaced(value); });
      changed = std::erase_if(functions_, [](const auto& one) { return one.second.calls < 2; }) > 0;
    }
    visit(module_, [this](const Statement&, Expression& value) { value = replaced(value); });
    if (!functions_.empty()) functions_part(module_).append(declarations());
  }

 private:
  template <class Content, class Visit>
  static void visit(Content& module, const Visit& visit) {
    for (auto& part : module.parts) for_each_value(part, visit);
  }

  /// What holds the statement's value; "" for a part of a signal.
  static std::string holder(const Statement& one) {
    const bool holds = one.kind == Statement::Kind::kNet ||
                       one.kind == Statement::Kind::kConnection ||
                       one.kind == Statement::Kind::kAssignment;
    if (!holds || !one.target.is(kName)) return "";
    return without_number(without_end(one.target.text));
  }

  /// With the values of what it reads, for its name alone: they may be older ones.
  Expression expanded(const Expression& one, int depth = 0) const {
    constexpr int kMostSteps = 4;
    const auto held = one.is(kName) ? held_.find(one.text) : held_.end();
    if (held != held_.end() && depth < kMostSteps) return expanded(held->second, depth + 1);
    Expression result = one;
    for (Expression& operand : result.operands) operand = expanded(operand, depth);
    return result;
  }

  void note_name(const Expression& value, const std::string& name) {
    if (const std::optional<Pattern> pattern = pattern_of(value)) {
      functions_[key_of(*pattern)].names.insert(name);
    }
  }

  void note(const Expression& value) {
    if (const std::optional<Pattern> pattern = pattern_of(value)) {
      Function& function = functions_[key_of(*pattern)];
      function.body = pattern->body;
      function.argument_width = pattern->width;
      function.arguments.insert(to_text(pattern->argument));
    }
    for (const Expression& operand : value.operands) note(operand);
  }

  /// Those of several values that have a name, the shortest.
  void choose() {
    std::erase_if(functions_, [](const auto& one) {
      const Function& function = one.second;
      return function.arguments.size() < 2 || function.names.empty() ||
             width_of(function.body, function.argument_width) == 0;
    });
    for (auto& [key, function] : functions_) {
      function.name = unique_name(shortest(function.names) + "_of", taken_);
    }
  }

  Expression replaced(const Expression& one) {
    if (const std::optional<Pattern> pattern = pattern_of(one)) {
      const auto function = functions_.find(key_of(*pattern));
      if (function != functions_.end()) {
        ++function->second.calls;
        return call(function->second.name.c_str(), pattern->argument);
      }
    }
    Expression result = one;
    for (Expression& operand : result.operands) operand = replaced(operand);
    return result;
  }

  Statements declarations() const {
    Statements part;
    for (const auto& [key, function] : functions_) {
      Statements body;
      body.assign(function.name, "=", function.body);
      part.list(fmt::format("function automatic {} {}(input {} {});",
                            logic_type(width_of(function.body, function.argument_width)),
                            function.name, logic_type(function.argument_width), kValue),
                body, "endfunction");
    }
    return part;
  }

  Module& module_;
  const Module& named_;
  std::map<std::string, Expression> held_;  ///< by a signal or variable
  std::map<Key, Function> functions_;
  std::set<std::string> taken_;
};

constexpr const char* kHeading = "// ---- Functions ----";

}  // namespace

Statements& functions_part(Module& module) {
  const auto place = module.parts.begin() + 1;
  const bool is_there = place != module.parts.end() && !place->empty() &&
                        place->statements().front().text == kHeading;
  if (is_there) return *place;
  Statements made;
  made.line(kHeading);
  return *module.parts.insert(place, std::move(made));
}

Module with_functions(Module module, const Module& named) {
  Extractor(module, named).run();
  return module;
}

}  // namespace systole::compiler::sv
