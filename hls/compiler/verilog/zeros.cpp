#include "hls/compiler/verilog/zeros.h"

#include <algorithm>
#include <set>
#include <string>

namespace systole::compiler::sv {
namespace {

using Kind = Statement::Kind;

constexpr std::size_t kMostColumns = 240;  // of the names in one statement

/// Whether a whole register gets a constant.
bool sets_constant(const Statement& one) {
  const bool is_constant =
      (one.value.is(Expression::Kind::kNumber) && one.value.width != 0) || is_enumerator(one.value);
  return one.kind == Kind::kAssignment && one.text == "<=" && one.comment.empty() &&
         one.target.is(Expression::Kind::kName) && is_constant;
}

bool sets_zero(const Statement& one) { return one.value == zeros(one.value.width); }

/// Zeros for all of the registers, the first one highest.
void write_zeros(std::vector<Expression>& registers, unsigned& width, Statements& out) {
  if (registers.empty()) return;
  out.assign(concatenation(registers), "<=", zeros(width));
  registers.clear();
  width = 0;
}

/// What is said in a row of constants: the zeros first.
template <class Iterator>
void join_row(Iterator at, Iterator end, Statements& out) {
  std::set<std::string> names;
  const bool is_once =
      std::all_of(at, end, [&](const auto& one) { return names.insert(one.target.text).second; });
  std::vector<Expression> registers;
  unsigned width = 0;
  std::size_t columns = 0;
  for (Iterator one = at; is_once && one != end; ++one) {
    if (!sets_zero(*one)) continue;
    if (columns + one->target.text.size() > kMostColumns) write_zeros(registers, width, out);
    if (registers.empty()) columns = 0;
    columns += one->target.text.size() + 2;
    registers.push_back(one->target);
    width += one->value.width;
  }
  write_zeros(registers, width, out);
  for (; at != end; ++at) {
    if (!is_once || !sets_zero(*at)) out.add(*at);
  }
}

void join(Statements& content) {
  Statements made;
  std::vector<Statement>& all = content.statements();
  for (auto at = all.begin(); at != all.end();) {
    const auto end = std::find_if_not(at, all.end(), sets_constant);
    if (end != at) {
      join_row(at, end, made);
      at = end;
      continue;
    }
    for (Statement::Arm& arm : at->arms) join(arm.body);
    made.add(std::move(*at++));
  }
  all = std::move(made.statements());
}

}  // namespace

Module with_joined_zeros(Module module) {
  for (Statements& part : module.parts) join(part);
  return module;
}

}  // namespace systole::compiler::sv
