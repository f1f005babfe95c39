#include "hls/compiler/verilog/nets.h"

#include <fmt/format.h>

namespace systole::compiler::sv {

using Kind = Statement::Kind;

void add_names(const Statements& content, std::set<std::string>& names) {
  for (const Statement& one : content.declarations()) names.insert(one.target.text);
  for (const Statement& one : content.statements()) {
    const bool declares = one.kind == Kind::kDeclaration || one.kind == Kind::kNet;
    if (declares) names.insert(one.target.text);
    if (!one.label.empty()) names.insert(one.label);
    for (const Statement::Arm& arm : one.arms) add_names(arm.body, names);
  }
}

static void note_whole(const Expression& one, std::set<std::string>& names) {
  using enum Expression::Kind;
  const bool needs_signal = one.is(kElement) || one.is(kPart) || one.is(kField) ||
                            (one.is(kSlice) && one.operands.size() == 2);
  if (needs_signal && one.operands[0].is(kName)) names.insert(one.operands[0].text);
  for (const Expression& operand : one.operands) note_whole(operand, names);
}

Nets::Nets(const Module& module) {
  std::map<std::string, unsigned> counts;
  for (const Statements& part : module.parts) {
    add_names(part, taken);
    for_each_expression(part, [&](const Expression& one) {
      count_names(one, counts);
      note_whole(one, whole);
    });
    for (const Statement& one : part.statements()) {
      if (one.kind == Kind::kDeclaration && !one.text.starts_with("logic")) {
        whole.insert(one.target.text);
      }
      if (one.kind == Kind::kNet) nets[one.target.text] = {one.value, one.width, 0};
      const bool is_signal = one.kind == Kind::kDeclaration && one.elements == 0;
      if (is_signal || one.kind == Kind::kNet) widths[one.target.text] = one.width;
    }
  }
  // A net's own declaration is no reading.
  for (auto& [name, net] : nets) net.reads = counts[name] - 1;
}

std::string unique_name(const std::string& name, std::set<std::string>& taken) {
  std::string made = name;
  for (int i = 2; !taken.insert(made).second; ++i) made = fmt::format("{}_{}", name, i);
  return made;
}

std::string without_end(std::string name) {
  for (const char* end : {"_q", "_o", "_next"}) {
    if (name.ends_with(end)) name.resize(name.size() - std::string_view(end).size());
  }
  return name;
}

std::string without_number(std::string name) {
  const std::size_t letter = name.find_last_not_of("0123456789");
  if (letter + 1 < name.size() && name[letter] == '_') name.resize(letter);
  return name;
}

void count_names(const Expression& one, std::map<std::string, unsigned>& counts) {
  if (one.is(Expression::Kind::kName)) ++counts[one.text];
  for (const Expression& operand : one.operands) count_names(operand, counts);
}

Expression with_values(const Expression& one, const std::map<std::string, Expression>& values) {
  if (one.is(Expression::Kind::kName)) {
    const auto known = values.find(one.text);
    return known == values.end() ? one : known->second;
  }
  Expression result = one;
  for (Expression& operand : result.operands) operand = with_values(operand, values);
  if (one.is(Expression::Kind::kConcatenation)) return concatenation(result.operands);
  const bool is_slice_of_slice = one.is(Expression::Kind::kSlice) && one.operands.size() == 1 &&
                                 result.operands[0].is(Expression::Kind::kSlice);
  if (!is_slice_of_slice) return result;
  const Expression& base = result.operands[0];
  return slice(base.operands[0], base.low + one.high, base.low + one.low, base.whole, base.unit);
}

void replace(Module& module, const std::map<std::string, Expression>& values) {
  for (Statements& part : module.parts) {
    for_each_expression(part, [&](Expression& one) { one = with_values(one, values); });
  }
}

void remove_unread(Module& module, const Nets& before) {
  for (bool removed = true; removed;) {
    removed = false;
    const Nets known(module);
    for (Statements& part : module.parts) {
      std::erase_if(part.statements(), [&](const Statement& one) {
        if (one.kind != Kind::kNet || known.nets.at(one.target.text).reads != 0) return false;
        const auto old = before.nets.find(one.target.text);
        const bool is_gone = old != before.nets.end() && old->second.reads != 0;
        removed = removed || is_gone;
        return is_gone;
      });
    }
  }
}

}  // namespace systole::compiler::sv
