#include "hls/compiler/verilog/statement.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole::compiler::sv {

using Kind = Statement::Kind;

Statements::Statements() = default;
Statements::~Statements() = default;
Statements::Statements(const Statements&) = default;
Statements::Statements(Statements&&) noexcept = default;
Statements& Statements::operator=(const Statements&) = default;
Statements& Statements::operator=(Statements&&) noexcept = default;

bool Statements::empty() const { return declarations_.empty() && statements_.empty(); }

void Statements::line(const std::string& text) {
  statements_.push_back({.kind = Kind::kLine, .text = text});
}

void Statements::blank() {
  const bool follows = !statements_.empty() &&
                       (statements_.back().kind != Kind::kLine || !statements_.back().text.empty());
  if (follows) line("");
}

void Statements::declare(Statement statement) { declarations_.push_back(std::move(statement)); }

void Statements::add(Statement statement) { statements_.push_back(std::move(statement)); }

void Statements::connect(Expression target, Expression value) {
  add({.kind = Kind::kConnection,
       .text = "",
       .target = std::move(target),
       .value = std::move(value)});
}

void Statements::define(const std::string& name, unsigned width, Expression value,
                        const std::string& comment) {
  add({.kind = Kind::kNet,
       .text = logic_type(width, "wire"),
       .comment = comment,
       .target = name,
       .value = std::move(value),
       .width = width});
}

void Statements::assign(Expression target, const char* sign, Expression value,
                        const std::string& comment) {
  add({.kind = Kind::kAssignment,
       .text = sign,
       .comment = comment,
       .target = std::move(target),
       .value = std::move(value)});
}

void Statements::branch(Expression condition, Statements then, Statements otherwise,
                        const std::string& label) {
  if (condition.empty()) return block("", std::move(then), label);
  std::vector<Statement::Arm> arms;
  arms.push_back({.labels = {}, .body = std::move(then)});
  if (!otherwise.empty()) arms.push_back({.labels = {}, .body = std::move(otherwise)});
  add({.kind = Kind::kIf,
       .text = "",
       .label = label,
       .value = std::move(condition),
       .arms = std::move(arms)});
}

void Statements::block(const std::string& head, Statements content, const std::string& label) {
  add({.kind = Kind::kBlock,
       .text = head,
       .label = label,
       .arms = {{.labels = {}, .body = std::move(content)}}});
}

void Statements::list(const std::string& head, Statements content, const std::string& tail) {
  add({.kind = Kind::kList,
       .text = head,
       .label = tail,
       .arms = {{.labels = {}, .body = std::move(content)}}});
}

void Statements::append(const Statements& content) {
  declarations_.insert(declarations_.end(), content.declarations_.begin(),
                       content.declarations_.end());
  statements_.insert(statements_.end(), content.statements_.begin(), content.statements_.end());
}

Statement declaration(const std::string& name, unsigned width, unsigned elements,
                      const std::string& comment) {
  return {.kind = Kind::kDeclaration,
          .text = logic_type(width),
          .comment = comment,
          .target = name,
          .width = width,
          .elements = elements};
}

std::string logic_type(unsigned width, const char* kind) {
  return width == 1 ? kind : fmt::format("{} [{}:0]", kind, width - 1);
}

static bool contains(const Statement& statement, Expression::Kind kind) {
  return contains(statement.value, kind) ||
         std::any_of(statement.arms.begin(), statement.arms.end(), [kind](const auto& arm) {
           return contains(arm.body, kind) ||
                  std::any_of(arm.labels.begin(), arm.labels.end(),
                              [kind](const Expression& label) { return contains(label, kind); });
         });
}

bool contains(const Statements& statements, Expression::Kind kind) {
  const std::vector<Statement>& all = statements.statements();
  return std::any_of(all.begin(), all.end(),
                     [kind](const Statement& one) { return contains(one, kind); });
}

namespace {

class Printer {
 public:
  std::string result;

  void print(const Statements& content, int indent) {
    print(content.declarations(), indent);
    print(content.statements(), indent);
  }

 private:
  static constexpr std::size_t kColumns = 100;
  static constexpr const char* kElse = "end else ";
  bool keeps_order_ = false;  // of declarations

  void print(const std::vector<Statement>& all, int indent) {
    for (auto at = all.begin(); at != all.end();) {
      const auto end = std::find_if_not(at, all.end(), is_plain_declaration);
      if (end == at) {
        print(*at++, indent, "");
      } else {
        declarations(at, end, indent);
        at = end;
      }
    }
  }

  static bool is_plain_declaration(const Statement& one) {
    return one.kind == Kind::kDeclaration && one.comment.empty();
  }

  /// Declarations of one type share lines: "logic [7:0] a, b;". Those with one label stand
  /// together; members of a struct keep their order.
  void declarations(std::vector<Statement>::const_iterator at,
                    std::vector<Statement>::const_iterator end, int indent) {
    struct Group {
      std::string type;
      bool is_array;
      std::vector<std::string> names;
    };
    std::vector<std::pair<std::string, std::vector<Group>>> labels;
    for (; at != end; ++at) {
      auto label = std::ranges::find(labels, at->label, [](const auto& one) { return one.first; });
      if (label == labels.end()) label = labels.insert(labels.end(), {at->label, {}});
      std::vector<Group>& groups = label->second;
      const auto first = keeps_order_ && !groups.empty() ? groups.end() - 1 : groups.begin();
      auto group = std::find_if(first, groups.end(), [&](const Group& one) {
        return one.type == at->text && one.is_array == (at->elements != 0);
      });
      if (group == groups.end()) group = groups.insert(group, {at->text, at->elements != 0, {}});
      group->names.push_back(to_text(at->target) + size_of(*at));
    }
    for (const auto& [label, groups] : labels) {
      for (const Group& group : groups) list(group.type, group.names, indent);
    }
  }

  /// "logic a, b;", on as many lines as needed.
  void list(const std::string& type, const std::vector<std::string>& names, int indent) {
    std::string together;
    for (const std::string& name : names) {
      const std::size_t columns = 2 * indent + type.size() + together.size() + name.size() + 3;
      if (!together.empty() && columns > kColumns) {
        line(type + together + ";", indent);
        together.clear();
      }
      together += (together.empty() ? " " : ", ") + name;
    }
    line(type + together + ";", indent);
  }

  static std::string size_of(const Statement& one) {
    return one.elements == 0 ? "" : fmt::format(" [{}]", one.elements);
  }

  /// A statement whose first line starts with `prefix`.
  void print(const Statement& one, int indent, const std::string& prefix) {
    switch (one.kind) {
      case Kind::kLine:
        if (one.text.empty() && (result.empty() || result.ends_with("\n\n"))) return;
        return line(prefix + one.text, one.text.starts_with('`') ? 0 : indent);
      case Kind::kDeclaration:
        return line(
            fmt::format("{} {}{};{}", one.text, to_text(one.target), size_of(one), comment_of(one)),
            indent);
      case Kind::kConnection:
        return line(fmt::format("{}assign {} = ", prefix, to_text(one.target)), one.value, ";",
                    indent);
      case Kind::kNet:
        return assignment(one, indent, one.text + " ", "=");
      case Kind::kAssignment:
        return assignment(one, indent, prefix, one.text);
      case Kind::kIf:
        return branch(one, indent, prefix);
      case Kind::kCase:
        line(fmt::format("{}case ({})", prefix, to_text(one.value)), indent);
        for (const Statement::Arm& arm : one.arms) this->arm(arm, indent + 1);
        return line("endcase", indent);
      case Kind::kBlock: {
        const std::string head = prefix + (one.text.empty() ? "" : one.text + " ");
        line(fmt::format("{}begin{}", head, label_of(one)), indent);
        print(one.arms[0].body, indent + 1);
        return line("end", indent);
      }
      case Kind::kList:
        line(one.text, indent);
        keeps_order_ = true;
        print(one.arms[0].body, indent + 1);
        keeps_order_ = false;
        return line(one.label, indent);
      case Kind::kInstance:
        line(one.text + one.label + " (", indent);
        connections(one.ports, indent + 1);
        return line(");", indent);
    }
  }

  /// Ports of a group share lines, as many as they hold; so do inputs, and outputs, of none.
  void connections(const std::vector<Statement::Port>& ports, int indent) {
    std::string together;
    for (std::size_t at = 0; at < ports.size(); ++at) {
      const Statement::Port& port = ports[at];
      const bool last = at + 1 == ports.size();
      const std::string more =
          fmt::format(".{}({}){}", port.name, to_text(port.value), last ? "" : ",");
      const bool fits = 2 * indent + together.size() + 1 + more.size() <= kColumns;
      const bool continues = at > 0 && port.group == ports[at - 1].group &&
                             (!port.group.empty() || is_output(port) == is_output(ports[at - 1]));
      if (!together.empty() && !(continues && fits)) {
        line(together, indent);
        together.clear();
      }
      together += (together.empty() ? "" : " ") + more;
    }
    if (!together.empty()) line(together, indent);
  }

  static bool is_output(const Statement::Port& port) { return port.name.ends_with("_o"); }

  void branch(const Statement& one, int indent, const std::string& prefix) {
    if (is_on_one_line(one, indent, prefix)) return;
    line(prefix + "if (", one.value, ") begin" + label_of(one), indent);
    print(one.arms[0].body, indent + 1);
    if (one.arms.size() == 1) return line("end", indent);
    const Statements& otherwise = one.arms[1].body;
    const std::vector<Statement>& all = otherwise.statements();
    if (otherwise.declarations().empty() && all.size() == 1 && all[0].kind == Kind::kIf) {
      return print(all[0], indent, kElse);
    }
    line(kElse + std::string("begin"), indent);
    print(otherwise, indent + 1);
    line("end", indent);
  }

  /// Prints `if (a) b <= c;` where that is all and fits on a line.
  bool is_on_one_line(const Statement& one, int indent, const std::string& prefix) {
    const Statements& body = one.arms[0].body;
    const bool is_all = one.arms.size() == 1 && one.label.empty() && prefix != kElse &&
                        body.declarations().empty() && body.statements().size() == 1;
    if (!is_all) return false;
    const Statement& only = body.statements()[0];
    if (only.kind != Kind::kAssignment || !only.comment.empty()) return false;
    const std::string text = fmt::format("{}if ({}) {} {} {};", prefix, to_text(one.value),
                                         to_text(only.target), only.text, to_text(only.value));
    if (2 * indent + text.size() > kColumns) return false;
    line(text, indent);
    return true;
  }

  /// The arm's statements stand after its labels, in a block where they are several.
  void arm(const Statement::Arm& arm, int indent) {
    std::string head;
    for (const Expression& label : arm.labels) {
      head += (head.empty() ? "" : ", ") + to_text(label);
    }
    if (head.empty()) head = "default";
    head += ": ";
    if (arm.body.empty()) return line(head + ";", indent);
    const std::vector<Statement>& all = arm.body.statements();
    const bool stands_alone = all.size() == 1 && all[0].kind != Kind::kCase;
    if (stands_alone && arm.body.declarations().empty()) return print(all[0], indent, head);
    line(head + "begin", indent);
    print(arm.body, indent + 1);
    line("end", indent);
  }

  static std::string label_of(const Statement& one) {
    return one.label.empty() ? "" : " : " + one.label;
  }
  static std::string comment_of(const Statement& one) {
    return one.comment.empty() ? "" : "  // " + one.comment;
  }

  /// A comment stands after the last line of its statement, or the first; above it where neither
  /// has room.
  void assignment(const Statement& one, int indent, const std::string& prefix,
                  const std::string& sign) {
    const std::size_t start = result.size();
    Printer target;
    target.result = std::string(2 * indent, ' ') + prefix;
    target.lay_out(one.target, 2 * indent + 4, sign.size() + 2);
    line(target.result.substr(2 * indent) + " " + sign + " ", one.value, ";", indent);
    if (one.comment.empty()) return;
    const std::string comment = comment_of(one);
    const std::size_t last = result.rfind('\n', result.size() - 2);
    for (const std::size_t end : {result.size() - 1, result.find('\n', start)}) {
      const std::size_t before = end == result.size() - 1 ? std::max(last + 1, start) : start;
      if (end - before + comment.size() > kColumns) continue;
      result.insert(end, comment);
      return;
    }
    result.insert(start, std::string(2 * indent, ' ') + "// " + one.comment + "\n");
  }

  /// Other text breaks at the last blank that makes a line short enough.
  void line(const std::string& text, int indent) {
    const auto comment = text.find("  // ");
    if (comment != std::string::npos && 2 * indent + text.size() > kColumns) {
      line(text.substr(comment + 2), indent);
      return line(text.substr(0, comment), indent);
    }
    std::string rest = text.empty() ? "" : std::string(2 * indent, ' ') + text;
    const std::string hang(2 * indent + 4, ' ');
    while (rest.size() > kColumns && text.rfind("//", 0) != 0) {
      const std::size_t at = rest.rfind(' ', kColumns);
      if (at == std::string::npos || at <= hang.size()) break;
      result += rest.substr(0, at) + "\n";
      rest = hang + rest.substr(at + 1);
    }
    result += rest + "\n";
  }

  /// A line with an expression in it, which breaks at its outermost operators; at any blank where
  /// that keeps a long statement short.
  void line(const std::string& head, const Expression& value, const std::string& tail, int indent) {
    constexpr std::ptrdiff_t kMostLines = 4;
    const std::size_t start = result.size();
    const auto lines = [&] { return std::count(result.begin() + start, result.end(), '\n'); };
    result += std::string(2 * indent, ' ') + head;
    lay_out(value, 2 * indent + 4, tail.size());
    result += tail + "\n";
    if (lines() <= kMostLines) return;
    const std::string nested = result.substr(start);
    result.resize(start);
    line(head + to_text(value) + tail, indent);
    if (lines() <= kMostLines) return;
    result.resize(start);
    result += nested;
  }

  std::size_t column() const {
    const std::size_t end = result.rfind('\n');
    return result.size() - (end == std::string::npos ? 0 : end + 1);
  }
  void next_line(std::size_t margin) {
    while (result.back() == ' ') result.pop_back();
    result += "\n" + std::string(margin, ' ');
  }

  /// The expression from here on; later lines start at `margin`, and `more` characters follow it.
  void lay_out(const Expression& one, std::size_t margin, std::size_t more) {
    using enum Expression::Kind;
    const std::string flat = to_text(one);
    if (column() + flat.size() + more <= kColumns) {
      result += flat;
    } else if (one.is(kChoice)) {
      operand(one, 0, margin, 2);
      result += " ? ";
      item(one, 1, margin + 2, 2);
      result += " :";
      next_line(margin);
      operand(one, 2, margin, more);
    } else if (one.is(kConcatenation)) {
      result += "{";
      for (std::size_t i = 0; i < one.operands.size(); ++i) {
        const bool last = i + 1 == one.operands.size();
        item(one, i, margin, last ? more + 1 : 1);
        result += last ? "}" : ", ";
      }
    } else if (one.is(kBinary)) {
      chain(one, margin, more, true);
    } else if (one.is(kCast) || one.is(kCall) || one.is(kUnary)) {
      const std::string start = flat.substr(0, flat.find('(') + 1);
      const bool opens = !one.is(kUnary);
      result += opens ? start : one.text;
      operand(one, 0, margin, more + 1);
      result += opens ? ")" : "";
    } else {
      if (column() > margin) next_line(margin);
      result += flat;
    }
  }

  /// The operands of one operator, as many a line as it holds; the first stays on this line.
  void chain(const Expression& one, std::size_t margin, std::size_t more, bool is_first) {
    for (const std::size_t i : {0, 1}) {
      const std::size_t follows = i == 0 ? one.text.size() + 1 : more;
      const bool stays = is_first && i == 0;
      if (one.operands[i].is(Expression::Kind::kBinary) && !is_enclosed(one, i)) {
        chain(one.operands[i], margin, follows, stays);
      } else if (stays) {
        operand(one, i, margin, follows);
      } else {
        item(one, i, margin, follows);
      }
      if (i == 0) result += " " + one.text + " ";
    }
  }

  void operand(const Expression& parent, std::size_t i, std::size_t margin, std::size_t more) {
    const bool enclosed = is_enclosed(parent, i);
    result += enclosed ? "(" : "";
    lay_out(parent.operands[i], margin + (enclosed ? 2 : 0), more + (enclosed ? 1 : 0));
    result += enclosed ? ")" : "";
  }

  /// An operand on this line if it fits, else on the next.
  void item(const Expression& parent, std::size_t i, std::size_t margin, std::size_t more) {
    const std::size_t size = to_text(parent.operands[i]).size() + (is_enclosed(parent, i) ? 2 : 0);
    if (column() + size + more > kColumns && column() > margin) next_line(margin);
    operand(parent, i, margin, more);
  }
};

}  // namespace

std::string to_text(const Statements& statements, int indent) {
  Printer printer;
  printer.print(statements, indent);
  if (printer.result.ends_with("\n\n")) printer.result.pop_back();
  return printer.result;
}

}  // namespace systole::compiler::sv
