#include "hls/compiler/verilog/cases.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace systole::compiler::sv {
namespace {

using Kind = Statement::Kind;

constexpr std::size_t kLeastLabels = 3;

/// A signal that is compared with constants.
struct Test {
  Expression selector;
  std::vector<Expression> labels;
};

/// Arms by the value of a selector; what else there is stands in `otherwise`.
template <class Content>
struct Chain {
  struct Arm {
    std::vector<Expression> labels;
    Content content;
  };
  Expression selector;
  std::vector<Arm> arms;
  Content otherwise;

  std::size_t labels() const {
    std::size_t count = 0;
    for (const Arm& arm : arms) count += arm.labels.size();
    return count;
  }
  /// The first arm of a label takes it. False for a test of another signal.
  bool add(const Test& test, Content content) {
    if (!arms.empty() && !(selector == test.selector)) return false;
    selector = test.selector;
    std::vector<Expression> labels = test.labels;
    std::erase_if(labels, [this](const Expression& label) { return has(label); });
    if (!labels.empty()) arms.push_back({std::move(labels), std::move(content)});
    return true;
  }
  bool has(const Expression& label) const {
    return std::any_of(arms.begin(), arms.end(), [&](const Arm& arm) {
      return std::find(arm.labels.begin(), arm.labels.end(), label) != arm.labels.end();
    });
  }
};

bool is_label(const Expression& one) {
  return is_enumerator(one) || (one.is(Expression::Kind::kNumber) && one.width > 1);
}

/// The content as an `if` alone; null for any other.
Statement* only_if(Statements& content) {
  const bool is_alone = content.declarations().empty() && content.statements().size() == 1;
  return is_alone && content.statements()[0].kind == Kind::kIf ? &content.statements()[0] : nullptr;
}

/// A choice, also one whose bits stand beside constants in a concatenation; none for any other.
Expression as_choice(const Expression& value) {
  if (value.is(Expression::Kind::kChoice)) return value;
  if (!value.is(Expression::Kind::kConcatenation)) return {};
  const auto is_choice = [](const Expression& one) { return one.is(Expression::Kind::kChoice); };
  const auto at = std::find_if(value.operands.begin(), value.operands.end(), is_choice);
  const bool is_beside_constants =
      std::all_of(value.operands.begin(), value.operands.end(), [&](const Expression& one) {
        return one.is(Expression::Kind::kNumber) || (at != value.operands.end() && one == *at);
      });
  if (at == value.operands.end() || !is_beside_constants) return {};
  const auto beside = [&](const Expression& chosen) {
    std::vector<Expression> parts = value.operands;
    parts[at - value.operands.begin()] = chosen;
    return constant_concatenation(parts);
  };
  return choice(at->operands[0], beside(at->operands[1]), beside(at->operands[2]));
}

/// Of `!x` and `x != y`.
Expression inverse(const Expression& test) {
  if (test.is(Expression::Kind::kUnary)) return test.operands[0];
  return binary(test.operands[0], "==", test.operands[1]);
}

bool reads(const Expression& value, const std::string& name) {
  return (value.is(Expression::Kind::kName) && value.text == name) ||
         std::any_of(value.operands.begin(), value.operands.end(),
                     [&](const Expression& one) { return reads(one, name); });
}

bool reads(const Statements& content, const std::string& name);

bool reads(const Statement& one, const std::string& name) {
  if (one.kind == Kind::kLine) return one.text.find(name) != std::string::npos;
  return reads(one.value, name) || reads(one.target, name) ||
         std::any_of(one.ports.begin(), one.ports.end(),
                     [&](const auto& port) { return reads(port.value, name); }) ||
         std::any_of(one.arms.begin(), one.arms.end(),
                     [&](const Statement::Arm& arm) { return reads(arm.body, name); });
}

bool reads(const Statements& content, const std::string& name) {
  return std::any_of(content.statements().begin(), content.statements().end(),
                     [&](const Statement& one) {
                       const bool defines = one.kind == Kind::kNet && one.target.text == name;
                       return !defines && reads(one, name);
                     });
}

/// Whether a blocking assignment in the content changes the signal.
bool changes(const Statements& content, const std::string& signal) {
  return std::any_of(
      content.statements().begin(), content.statements().end(), [&](const Statement& one) {
        const bool here =
            one.kind == Kind::kAssignment && one.text == "=" && root_of(one.target) == signal;
        return here ||
               std::any_of(one.arms.begin(), one.arms.end(),
                           [&](const Statement::Arm& arm) { return changes(arm.body, signal); });
      });
}

class Rewriter {
 public:
  explicit Rewriter(Module& module) : module_(module) {
    for (const Statements& part : module.parts) {
      for (const Statement& one : part.statements()) {
        if (one.kind == Kind::kNet) nets_[one.target.text] = one.value;
      }
    }
  }

  void run() {
    for (Statements& part : module_.parts) rewrite(part, Place::kModule);
    for (const std::string& name : seen_through_) remove_if_unread(name);
  }

 private:
  enum class Place { kModule, kProcess, kLoop };

  // ---- Tests ----

  std::optional<Test> test_of(const Expression& condition) {
    if (condition.is(Expression::Kind::kName)) {
      const auto net = nets_.find(condition.text);
      if (net == nets_.end()) return std::nullopt;
      std::optional<Test> test = test_of(net->second);
      if (test) seen_through_.insert(condition.text);
      return test;
    }
    if (!condition.is(Expression::Kind::kBinary)) return std::nullopt;
    const Expression& left = condition.operands[0];
    const Expression& right = condition.operands[1];
    if (condition.text == "==") {
      if (!is_label(right) || root_of(left).empty()) return std::nullopt;
      return Test{left, {right}};
    }
    if (condition.text != "||" && condition.text != "|") return std::nullopt;
    std::optional<Test> first = test_of(left);
    const std::optional<Test> second = first ? test_of(right) : std::nullopt;
    if (!second || !(first->selector == second->selector)) return std::nullopt;
    first->labels.insert(first->labels.end(), second->labels.begin(), second->labels.end());
    return first;
  }

  Chain<Expression> chain_of(const Expression& value) {
    Chain<Expression> chain;
    Expression rest = value;
    for (Expression one = as_choice(rest); one.is(Expression::Kind::kChoice);
         one = as_choice(rest)) {
      const std::optional<Test> test = test_of(one.operands[0]);
      if (!test || !chain.add(*test, one.operands[1])) break;
      rest = one.operands[2];
    }
    chain.otherwise = rest;
    return chain;
  }

  // ---- Statements ----

  void rewrite(Statements& content, Place place) {
    Statements rewritten;
    for (Statement& one : content.statements()) add(std::move(one), place, rewritten);
    content.statements() = std::move(rewritten.statements());
    if (place == Place::kProcess) join_tests(content);
  }

  /// One statement, rewritten, at the end of those before it.
  void add(Statement one, Place place, Statements& out) {
    const bool is_module = place == Place::kModule;
    if (one.kind == Kind::kIf && place == Place::kProcess) {
      join_conditions(one);
      if (std::optional<Statement> made = case_of(one)) one = std::move(*made);
    } else if ((one.kind == Kind::kNet || one.kind == Kind::kConnection) && is_module) {
      if (const std::optional<Statements> body = choose(one.target, "=", one.value)) {
        using enum Expression::Kind;
        if (!contains(*body, kSlice) && !contains(*body, kPart) && !contains(*body, kElement)) {
          if (one.kind == Kind::kNet) {
            out.add(declaration(one.target.text, one.width, 0, one.comment));
          }
          return out.block("always_comb", *body);
        }
      }
    } else if (one.kind == Kind::kAssignment && place == Place::kProcess) {
      if (std::optional<Statements> body = choose(one.target, one.text.c_str(), one.value)) {
        if (!one.comment.empty()) out.line("// " + one.comment);
        return out.append(*body);
      }
    }
    const bool is_process = one.kind == Kind::kBlock && is_module;
    for (Statement::Arm& arm : one.arms) {
      if (one.kind == Kind::kList) break;
      rewrite(arm.body, one.is_lanes() ? Place::kLoop : is_process ? Place::kProcess : place);
    }
    out.add(std::move(one));
  }

  /// `if (a) if (b) x` -> `if (a && b) x`, but for one that is the first of a `case`.
  void join_conditions(Statement& one) {
    while (one.arms.size() == 1) {
      Statement* inner = only_if(one.arms[0].body);
      if (!inner || inner->arms.size() != 1 || !inner->label.empty()) return;
      if (case_of(*inner)) return;
      one.value =
          follows(one.value, inner->value) ? inner->value : binary(one.value, "&&", inner->value);
      const Statements body = inner->arms[0].body;
      one.arms[0].body = body;
    }
  }

  /// Whether `a != 2'd0` follows from `a == 2'd1`.
  bool follows(const Expression& inverted, const Expression& from) {
    if (inverted.text != "!" && inverted.text != "!=") return false;
    const std::optional<Test> excluded = test_of(inverse(inverted));
    const std::optional<Test> test = test_of(from);
    return excluded && test && excluded->selector == test->selector &&
           std::none_of(test->labels.begin(), test->labels.end(), [&](const Expression& label) {
             const std::vector<Expression>& others = excluded->labels;
             return std::find(others.begin(), others.end(), label) != others.end();
           });
  }

  /// `if`s as a `case` of three labels and more, two arms with content at least. A test that is
  /// inverted has its labels in the other arm.
  std::optional<Statement> case_of(const Statement& first) {
    Chain<Statements> chain;
    chain.otherwise.add(first);
    for (;;) {
      const Statement* link = only_if(chain.otherwise);
      if (!link) break;
      const bool is_inverted = link->value.text == "!" || link->value.text == "!=";
      const std::optional<Test> test = test_of(is_inverted ? inverse(link->value) : link->value);
      const Statements second = link->arms.size() == 1 ? Statements() : link->arms[1].body;
      const Statements& then = link->arms[0].body;
      if (!test || !chain.add(*test, is_inverted ? second : then)) break;
      chain.otherwise = Statements(is_inverted ? then : second);
    }
    add_choice(chain);
    const auto filled = std::count_if(chain.arms.begin(), chain.arms.end(),
                                      [](const auto& arm) { return !arm.content.empty(); });
    if (chain.labels() < kLeastLabels || filled + (chain.otherwise.empty() ? 0 : 1) < 2) {
      return std::nullopt;
    }
    return made_of(std::move(chain));
  }

  /// An assignment in the last arm that goes on with the same signal.
  void add_choice(Chain<Statements>& chain) {
    const std::vector<Statement>& all = chain.otherwise.statements();
    if (chain.arms.empty() || !chain.otherwise.declarations().empty() || all.size() != 1) return;
    const Statement last = all[0];
    if (last.kind != Kind::kAssignment || !last.comment.empty()) return;
    const Chain<Expression> choices = chain_of(last.value);
    if (choices.arms.empty() || !(choices.selector == chain.selector)) return;
    const auto assigned = [&](const Expression& value) {
      Statements body;
      body.assign(last.target, last.text.c_str(), value);
      return body;
    };
    for (const auto& arm : choices.arms) {
      chain.add({choices.selector, arm.labels}, assigned(arm.content));
    }
    chain.otherwise = assigned(choices.otherwise);
  }

  static Statement made_of(Chain<Statements> chain) {
    Statement made{.kind = Kind::kCase, .text = "", .value = std::move(chain.selector)};
    for (auto& arm : chain.arms) {
      const bool joins = !made.arms.empty() && made.arms.back().body.empty() && arm.content.empty();
      if (joins) {
        std::vector<Expression>& labels = made.arms.back().labels;
        labels.insert(labels.end(), arm.labels.begin(), arm.labels.end());
      } else {
        made.arms.push_back({.labels = std::move(arm.labels), .body = std::move(arm.content)});
      }
    }
    made.arms.push_back({.labels = {}, .body = std::move(chain.otherwise)});
    return made;
  }

  /// The value assigned by a `case`; nothing for a value that is no chain of three labels.
  std::optional<Statements> choose(const Expression& target, const char* sign,
                                   const Expression& value) {
    const Chain<Expression> chain = chain_of(value);
    if (chain.labels() < kLeastLabels) return std::nullopt;
    const auto body_of = [&](const Expression& chosen) {
      if (std::optional<Statements> inner = choose(target, sign, chosen)) {
        return *inner;
      }
      Statements body;
      body.assign(target, sign, chosen);
      return body;
    };
    Chain<Statements> made{.selector = chain.selector, .arms = {}, .otherwise = {}};
    for (const auto& arm : chain.arms) made.arms.push_back({arm.labels, body_of(arm.content)});
    made.otherwise = body_of(chain.otherwise);
    Statements body;
    body.add(made_of(std::move(made)));
    return body;
  }

  /// `if`s in a row that test one signal, which none of them changes, for different constants; then
  /// what follows a `case` on its signal goes into its arms.
  void join_tests(Statements& content) {
    Statements joined;
    std::vector<Statement>& all = content.statements();
    for (std::size_t at = 0; at < all.size();) {
      Chain<Statements> chain;
      std::size_t end = at;
      for (; end < all.size() && all[end].kind == Kind::kIf && all[end].arms.size() == 1; ++end) {
        const std::optional<Test> test = test_of(all[end].value);
        if (!test || changes(all[end].arms[0].body, root_of(test->selector))) break;
        const bool is_new = std::none_of(test->labels.begin(), test->labels.end(),
                                         [&](const auto& label) { return chain.has(label); });
        if (!is_new || !chain.add(*test, all[end].arms[0].body)) break;
      }
      const bool is_case = chain.labels() >= kLeastLabels;
      Statement next = is_case ? made_of(std::move(chain)) : std::move(all[at]);
      at = is_case ? end : at + 1;
      if (joined.empty() || !goes_into(joined.statements().back(), next)) {
        joined.add(std::move(next));
      }
    }
    all = std::move(joined.statements());
  }

  /// Moves what the next statement does for constants of a `case` into that.
  bool goes_into(Statement& before, const Statement& next) {
    if (before.kind != Kind::kCase) return false;
    std::vector<Statement::Arm> more;
    if (next.kind == Kind::kIf && next.arms.size() == 1) {
      const std::optional<Test> test = test_of(next.value);
      if (!test || !(test->selector == before.value)) return false;
      more.push_back({.labels = test->labels, .body = next.arms[0].body});
    } else if (next.kind == Kind::kCase && next.value == before.value &&
               next.arms.back().body.empty()) {
      more.assign(next.arms.begin(), next.arms.end() - 1);
    } else {
      return false;
    }
    const std::string signal = root_of(before.value);
    const bool is_changed =
        std::any_of(before.arms.begin(), before.arms.end(),
                    [&](const Statement::Arm& arm) { return changes(arm.body, signal); });
    std::vector<Statement::Arm> arms = before.arms;
    const bool fits = !is_changed && std::all_of(more.begin(), more.end(), [&](const auto& arm) {
      return arm.body.empty() || goes_into(arms, arm);
    });
    if (fits) before.arms = std::move(arms);
    return fits;
  }

  /// The same for one arm: it goes on with the arm of its constants, takes them from one without
  /// content, or is new where all others do nothing.
  static bool goes_into(std::vector<Statement::Arm>& arms, const Statement::Arm& more) {
    const auto has = [](const Statement::Arm& arm, const Expression& label) {
      return std::find(arm.labels.begin(), arm.labels.end(), label) != arm.labels.end();
    };
    const auto found = std::find_if(arms.begin(), arms.end(), [&](const Statement::Arm& arm) {
      return std::any_of(more.labels.begin(), more.labels.end(),
                         [&](const auto& label) { return has(arm, label); });
    });
    if (found == arms.end()) {
      if (!arms.back().body.empty()) return false;
      arms.insert(arms.end() - 1, more);
      return true;
    }
    const bool holds_all = std::all_of(more.labels.begin(), more.labels.end(),
                                       [&](const auto& label) { return has(*found, label); });
    if (!holds_all) return false;
    if (found->labels.size() == more.labels.size()) {
      if (declare_alike(found->body, more.body)) return false;
      found->body.append(more.body);
      return true;
    }
    if (!found->body.empty()) return false;
    std::erase_if(found->labels, [&](const auto& label) { return has(more, label); });
    arms.insert(found, more);
    return true;
  }

  static bool declare_alike(const Statements& first, const Statements& second) {
    return std::any_of(
        first.declarations().begin(), first.declarations().end(), [&](const Statement& one) {
          return std::any_of(second.declarations().begin(), second.declarations().end(),
                             [&](const Statement& other) { return one.target == other.target; });
        });
  }

  // ---- Nets ----

  void remove_if_unread(const std::string& name) {
    const bool is_read = std::any_of(module_.parts.begin(), module_.parts.end(),
                                     [&](const Statements& part) { return reads(part, name); });
    if (is_read) return;
    for (Statements& part : module_.parts) {
      std::erase_if(part.statements(), [&](const Statement& one) {
        return one.kind == Kind::kNet && one.target.text == name;
      });
    }
  }

  Module& module_;
  std::map<std::string, Expression> nets_;
  std::set<std::string> seen_through_;  ///< nets whose value may stand in a `case` now
};

}  // namespace

Module with_cases(Module module) {
  Rewriter(module).run();
  return module;
}

}  // namespace systole::compiler::sv
