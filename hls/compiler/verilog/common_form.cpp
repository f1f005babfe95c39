#include "hls/compiler/verilog/common_form.h"

#include <fmt/format.h>
#include <llvm/ADT/APInt.h>

#include <algorithm>

#include "hls/compiler/verilog/index_formula.h"

namespace systole::compiler::sv {

using Kind = Statement::Kind;
using enum Expression::Kind;

/// A net's value up to this many characters may be repeated.
static constexpr std::size_t kShort = 120;

std::string loop_head(const char* type, std::int64_t start, std::size_t turns) {
  return fmt::format("for ({0} {1} = {2}; {1} < {3}; {1}++)", type, kCounter, start,
                     start + static_cast<std::int64_t>(turns));
}

struct CommonForm::Switched {
  Expression bit;
  llvm::APInt value;
};

static bool is_number(const Expression& one) {
  return one.is(kNumber) && (one.text[0] == 'd' || one.text[0] == 'h' || one.text[0] == 'b');
}

/// A block's statements with its variables' values where they are read. Nothing where a variable is
/// assigned twice or under a condition, or where what it was computed from changes.
static std::optional<Statements> without_variables(const Statements& body) {
  std::set<std::string> variables;
  for (const Statement& one : body.declarations()) variables.insert(one.target.text);
  std::map<std::string, Expression> values;
  std::set<std::string> read;
  Statements result;
  for (const Statement& one : body.statements()) {
    if (one.kind != Kind::kAssignment) return std::nullopt;
    const Expression value = with_values(one.value, values);
    const std::string root = root_of(one.target);
    if (one.target.is(kName) && variables.count(root) != 0 && one.text == "=") {
      if (!values.emplace(root, value).second) return std::nullopt;
      std::map<std::string, unsigned> names;
      count_names(value, names);
      for (const auto& [name, count] : names) read.insert(name);
      continue;
    }
    if (variables.count(root) != 0 || read.count(root) != 0) return std::nullopt;
    Statement kept = one;
    kept.value = value;
    result.add(std::move(kept));
  }
  return result;
}

template <class Pick>
static std::vector<const Expression*> operands_of(const std::vector<const Statement*>& all,
                                                  const Pick& pick) {
  std::vector<const Expression*> picked;
  for (const Statement* one : all) picked.push_back(pick(*one));
  return picked;
}

static bool join(Expression& bit, const Expression& other) {
  if (bit.empty()) bit = other;
  return other.empty() || bit == other;
}

std::optional<Statement> CommonForm::of(const Alike<Statement>& all) {
  const Statement& first = *all[0];
  for (const Statement* one : all) {
    const bool is_alike = one->kind == first.kind && one->text == first.text &&
                          one->label.empty() && one->arms.size() == first.arms.size();
    if (!is_alike) return std::nullopt;
  }
  Statement made = first;
  const auto same_comment = [&](const Statement* one) { return one->comment == first.comment; };
  if (!std::all_of(all.begin(), all.end(), same_comment)) made.comment = "";
  const auto target = of(operands_of(all, [](const auto& s) { return &s.target; }), false);
  const auto value = of(operands_of(all, [](const auto& s) { return &s.value; }), true);
  if (!target || !value) return std::nullopt;
  made.target = *target;
  made.value = *value;
  for (std::size_t arm = 0; arm < first.arms.size(); ++arm) {
    std::vector<Statements> bodies;
    for (const Statement* one : all) bodies.push_back(one->arms[arm].body);
    std::optional<Statements> body = of_bodies(bodies);
    if (!body) return std::nullopt;
    made.arms[arm].body = std::move(*body);
  }
  return made;
}

/// The expressions as one of the counter.
std::optional<Expression> CommonForm::of(const Alike<Expression>& all, bool may_expand) {
  const Expression& first = *all[0];
  const auto equals = [&](const Expression* one) { return *one == first; };
  if (std::all_of(all.begin(), all.end(), equals)) return first;
  if (std::all_of(all.begin(), all.end(), [](const auto* one) { return is_number(*one); })) {
    if (auto made = of_numbers(all)) return made;
  }
  if (std::all_of(all.begin(), all.end(), [](const auto* one) { return one->is(kSlice); })) {
    return of_slices(all);
  }
  if (auto made = of_operands(all)) return made;
  if (!may_expand) return std::nullopt;
  if (auto made = of_switched(all)) return made;
  if (auto made = of_partly_switched(all)) return made;
  return of_values(all);
}

std::optional<Statements> CommonForm::of_bodies(std::vector<Statements>& bodies) {
  for (Statements& body : bodies) {
    if (body.declarations().empty()) continue;
    std::optional<Statements> plain = without_variables(body);
    if (!plain) return std::nullopt;
    body = std::move(*plain);
  }
  Statements made;
  for (std::size_t at = 0; at < bodies[0].statements().size(); ++at) {
    Alike<Statement> all;
    for (const Statements& body : bodies) {
      if (body.statements().size() != bodies[0].statements().size()) return std::nullopt;
      all.push_back(&body.statements()[at]);
    }
    std::optional<Statement> one = of(all);
    if (!one) return std::nullopt;
    made.add(std::move(*one));
  }
  return made;
}

std::optional<Expression> CommonForm::formula(const std::vector<std::int64_t>& values) {
  std::optional<Expression> made = index_formula(values, kCounter, start_);
  varies = varies || made.has_value();
  return made;
}

/// A number of `width` bits that follows from the counter.
std::optional<Expression> CommonForm::number_of(unsigned width,
                                                const std::vector<std::int64_t>& values) {
  std::optional<Expression> made = formula(values);
  if (!made || (width == 32 && *made == Expression(kCounter))) return made;
  return cast(width, *made);
}

std::optional<Expression> CommonForm::of_numbers(const Alike<Expression>& all) {
  constexpr unsigned kMostBits = 32;
  const unsigned width = all[0]->width;
  std::vector<std::int64_t> values;
  for (const Expression* one : all) {
    const llvm::APInt value = value_of(*one);
    if (one->width != width || width < 2 || value.getActiveBits() > kMostBits - 2) {
      return std::nullopt;
    }
    values.push_back(static_cast<std::int64_t>(value.getZExtValue()));
  }
  return number_of(width, values);
}

std::optional<Expression> CommonForm::of_slices(const Alike<Expression>& all) {
  const Expression& first = *all[0];
  const unsigned unit = first.unit > 1                                    ? first.unit
                        : first.width > 1 && first.low % first.width == 0 ? first.width
                                                                          : 1;
  std::vector<std::int64_t> elements;
  const unsigned inside = first.low % unit;
  for (const Expression* one : all) {
    const bool is_alike = one->width == first.width && one->unit == first.unit &&
                          one->operands == first.operands && one->low % unit == inside;
    if (!is_alike) return std::nullopt;
    elements.push_back(one->low / unit);
  }
  const std::optional<Expression> index = formula(elements);
  if (!index) return std::nullopt;
  if (unit == 1) {
    return first.width == 1 ? element(first.operands[0], *index)
                            : part(first.operands[0], *index, first.width);
  }
  return slice_of(first.operands[0], *index, unit, inside, first.width);
}

std::optional<Expression> CommonForm::of_operands(const Alike<Expression>& all) {
  const Expression& first = *all[0];
  if (first.is(kName) || first.is(kNumber) || first.is(kSlice) || first.is(kNone)) {
    if (!first.is(kNumber) || first.width != 0) return std::nullopt;
    std::vector<std::int64_t> values;
    for (const Expression* one : all) {
      if (!one->is(kNumber) || one->width != 0) return std::nullopt;
      values.push_back(std::stoll(one->text));
    }
    return formula(values);
  }
  for (const Expression* one : all) {
    const bool is_alike = one->kind == first.kind && one->text == first.text &&
                          one->width == first.width &&
                          one->operands.size() == first.operands.size();
    if (!is_alike) return std::nullopt;
  }
  // What is cut or shifted keeps its name, which has its width.
  const bool may_expand = first.is(kUnary) || first.is(kChoice) || first.is(kConcatenation) ||
                          (first.is(kBinary) && first.text != ">>" && first.text != "<<");
  Expression made = first;
  for (std::size_t i = 0; i < first.operands.size(); ++i) {
    Alike<Expression> operands;
    for (const Expression* one : all) operands.push_back(&one->operands[i]);
    std::optional<Expression> operand = of(operands, may_expand);
    if (!operand) return std::nullopt;
    made.operands[i] = std::move(*operand);
  }
  return made;
}

std::optional<CommonForm::Switched> CommonForm::switched(const Expression& one) const {
  switch (one.kind) {
    case kNumber:
      if (!is_number(one) || !value_of(one).isZero()) return std::nullopt;
      return Switched{{}, value_of(one)};
    case kName: {
      const auto width = widths_.find(one.text);
      if (width == widths_.end()) return std::nullopt;
      if (width->second == 1) return Switched{one, llvm::APInt(1, 1)};
      const auto net = nets_.find(one.text);
      return net == nets_.end() ? std::nullopt : switched(net->second.value);
    }
    case kChoice: {
      const bool is_switch = one.operands[0].is(kName) && is_number(one.operands[1]) &&
                             is_number(one.operands[2]) && value_of(one.operands[2]).isZero();
      if (!is_switch) return std::nullopt;
      return Switched{one.operands[0], value_of(one.operands[1])};
    }
    case kConcatenation: {
      Switched all{{}, llvm::APInt::getZeroWidth()};
      for (const Expression& operand : one.operands) {
        const std::optional<Switched> part = switched(operand);
        if (!part || !join(all.bit, part->bit)) return std::nullopt;
        all.value = all.value.concat(part->value);
      }
      return all;
    }
    default:
      return std::nullopt;
  }
}

/// The choice of them by their bit.
std::optional<Expression> CommonForm::choice_of(const std::vector<Switched>& all) {
  Expression bit;
  std::vector<std::int64_t> values;
  const unsigned width = all[0].value.getBitWidth();
  for (const Switched& one : all) {
    const bool fits = one.value.getActiveBits() < 31 && one.value.getBitWidth() == width;
    if (!fits || !join(bit, one.bit)) return std::nullopt;
    values.push_back(static_cast<std::int64_t>(one.value.getZExtValue()));
  }
  const std::optional<Expression> value = number_of(width, values);
  if (!value || bit.empty()) return std::nullopt;
  return choice(bit, *value, zeros(width));
}

std::optional<Expression> CommonForm::of_switched(const Alike<Expression>& all) {
  std::vector<Switched> values;
  for (const Expression* one : all) {
    std::optional<Switched> value = switched(*one);
    if (!value) return std::nullopt;
    values.push_back(std::move(*value));
  }
  return choice_of(values);
}

/// Of `x | constants`, where some lack a constant of 0.
std::optional<Expression> CommonForm::of_partly_switched(const Alike<Expression>& all) {
  unsigned width = 0;
  for (const Expression* one : all) {
    if (!one->is(kBinary) || one->text != "|") continue;
    const std::optional<Switched> value = switched(one->operands[1]);
    if (value && !value->bit.empty()) width = value->value.getBitWidth();
  }
  if (width < 2) return std::nullopt;
  std::vector<Switched> values;
  Alike<Expression> rest;
  for (const Expression* one : all) {
    const bool ends = one->is(kBinary) && one->text == "|";
    const std::optional<Switched> value =
        ends ? switched(one->operands[1]) : std::optional<Switched>();
    const bool has = value && value->value.getBitWidth() == width;
    values.push_back(has ? *value : Switched{{}, llvm::APInt(width, 0)});
    rest.push_back(has ? &one->operands[0] : one);
  }
  if (rest == all) return std::nullopt;
  std::optional<Expression> left = of(rest, true);
  const std::optional<Expression> right = left ? choice_of(values) : std::nullopt;
  if (!right) return std::nullopt;
  return binary(std::move(*left), "|", *right);
}

std::optional<Expression> CommonForm::of_values(const Alike<Expression>& all) {
  Alike<Expression> values;
  bool is_any = false;
  for (const Expression* one : all) {
    const auto net = one->is(kName) ? nets_.find(one->text) : nets_.end();
    const bool expands = net != nets_.end() &&
                         (net->second.reads < 2 || to_text(net->second.value).size() <= kShort);
    values.push_back(expands ? &net->second.value : one);
    is_any = is_any || expands;
  }
  return is_any ? of(values, true) : std::nullopt;
}

}  // namespace systole::compiler::sv
