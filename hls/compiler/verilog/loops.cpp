#include "hls/compiler/verilog/loops.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "hls/compiler/verilog/common_form.h"
#include "hls/compiler/verilog/nets.h"

namespace systole::compiler::sv {
namespace {

using Kind = Statement::Kind;
using enum Expression::Kind;

constexpr std::size_t kLeastTurns = 3;

template <class Node>
using Alike = CommonForm::Alike<Node>;

/// The elements of a vector that the expressions are; none for others.
std::vector<std::int64_t> elements_of(const Alike<Expression>& all) {
  std::vector<std::int64_t> elements;
  for (const Expression* one : all) {
    const Expression* index = one->is(kElement) ? &one->operands[1] : nullptr;
    if (index && index->is(kNumber) && index->width == 0) {
      elements.push_back(std::stoll(index->text));
    } else if (one->is(kSlice) && one->operands.size() == 1) {
      const unsigned unit = one->unit > 1 ? one->unit : one->width;
      elements.push_back(one->low / unit);
    } else {
      return {};
    }
  }
  return elements;
}

/// What the statement writes first.
const Statement& first_write(const Statement& one) {
  const bool holds = one.kind == Kind::kIf && !one.arms[0].body.statements().empty();
  return holds ? first_write(one.arms[0].body.statements().back()) : one;
}

bool may_roll(const Statement& one) {
  return one.kind == Kind::kAssignment || one.kind == Kind::kConnection || one.kind == Kind::kIf;
}

bool look_alike(const Statement& one, const Statement& other) {
  return one.kind == other.kind && one.text == other.text &&
         root_of(first_write(one).target) == root_of(first_write(other).target);
}

class Roller {
 public:
  explicit Roller(Module& module) : module_(module) {}

  void run() {
    const Nets before = known_;
    gather_nets(2);
    roll_all();
    known_ = Nets(module_);
    gather_nets(1);
    remove_unread(module_, before);
  }

 private:
  static constexpr std::size_t kLongestPeriod = 8;
  static constexpr std::size_t kLongestText = 420;

  // ---- Statements ----

  void roll_all() {
    for (Statements& part : module_.parts) roll(part, /*is_process=*/false);
  }

  void roll(Statements& content, bool is_process) {
    for (Statement& one : content.statements()) {
      if (one.is_loop() || one.kind == Kind::kList) continue;
      const bool enters = is_process || one.kind == Kind::kBlock;
      for (Statement::Arm& arm : one.arms) {
        if (enters) roll(arm.body, true);
      }
    }
    Statements rolled;
    std::vector<Statement>& all = content.statements();
    for (std::size_t at = 0; at < all.size();) {
      Run run = run_at(all, at);
      if (run.turns == 0) {
        rolled.add(std::move(all[at++]));
        continue;
      }
      at += run.turns * run.body.size();
      emit(run, is_process, rolled);
    }
    all = std::move(rolled.statements());
  }

  struct Run {
    std::vector<Statement> body;
    std::size_t turns = 0;
    std::int64_t start = 0;
  };

  Run run_at(const std::vector<Statement>& all, std::size_t at) {
    Run best;
    for (std::size_t period = 1; period <= kLongestPeriod; ++period) {
      if (at + kLeastTurns * period > all.size() || !may_roll(all[at + period - 1])) break;
      std::size_t most = 1;
      const auto goes_on = [&] {
        if (at + (most + 1) * period > all.size()) return false;
        for (std::size_t i = at + most * period; i < at + (most + 1) * period; ++i) {
          if (!look_alike(all[i], all[i - period])) return false;
        }
        return true;
      };
      while (goes_on()) ++most;
      for (std::size_t turns = most; turns >= kLeastTurns; --turns) {
        if (turns * period <= best.turns * best.body.size()) break;
        if (std::optional<Run> run = run_of(all, at, period, turns)) {
          best = std::move(*run);
          break;
        }
      }
    }
    return best;
  }

  std::optional<Run> run_of(const std::vector<Statement>& all, std::size_t at, std::size_t period,
                            std::size_t turns) {
    Run run{.body = {}, .turns = turns, .start = start_of(all, at, period, turns)};
    for (std::size_t i = 0; i < period; ++i) {
      Alike<Statement> alike;
      for (std::size_t turn = 0; turn < turns; ++turn) {
        alike.push_back(&all[at + turn * period + i]);
      }
      CommonForm form(known_.nets, known_.widths, run.start);
      std::optional<Statement> one = form.of(alike);
      const bool is_same_place = one && first_write(*one).target == first_write(*alike[0]).target;
      if (!one || is_same_place || to_text(one->value).size() > kLongestText) return std::nullopt;
      run.body.push_back(std::move(*one));
    }
    return run;
  }

  /// The first value of a counter that is the element written.
  static std::int64_t start_of(const std::vector<Statement>& all, std::size_t at,
                               std::size_t period, std::size_t turns) {
    Alike<Expression> targets;
    for (std::size_t turn = 0; turn < turns; ++turn) {
      targets.push_back(&first_write(all[at + turn * period]).target);
    }
    const std::vector<std::int64_t> elements = elements_of(targets);
    if (elements.size() < 2) return 0;
    const std::int64_t step = elements[1] - elements[0];
    return step > 0 && elements[0] % step == 0 ? elements[0] / step : 0;
  }

  void emit(Run& run, bool is_process, Statements& out) {
    Statements body;
    for (Statement& one : run.body) body.add(std::move(one));
    const std::string root = root_of(first_write(body.statements()[0]).target);
    out.block(loop_head(is_process ? "int unsigned" : "genvar", run.start, run.turns), body,
              label(root, is_process));
  }

  std::string label(std::string name, bool is_process) {
    return known_.unique((is_process ? kEach : "gen_") + without_end(std::move(name)));
  }

  // ---- Nets ----

  struct Family {
    std::vector<std::string> names;  ///< in the order of the index
    Expression value;
  };

  /// Makes vectors of nets that are read so often at least, and are named alike.
  void gather_nets(unsigned reads) {
    std::set<std::string> tried;
    for (bool found = true; found;) {
      found = false;
      std::vector<std::string> names;
      for (const Statements& part : module_.parts) {
        for (const Statement& one : part.statements()) {
          if (one.kind != Kind::kNet || tried.count(one.target.text) != 0) continue;
          const bool may_move = known_.nets.at(one.target.text).reads >= reads &&
                                known_.whole.count(one.target.text) == 0;
          if (may_move) names.push_back(one.target.text);
        }
      }
      for (std::size_t i = 0; i < names.size() && !found; ++i) {
        const Family family = family_of(names, i);
        if (family.names.size() < kLeastTurns) {
          tried.insert(names[i]);
          continue;
        }
        make_vector(family);
        known_ = Nets(module_);
        tried.clear();
        found = true;
      }
    }
  }

  std::optional<Family> family(std::vector<std::string> names) {
    Alike<Expression> values;
    const unsigned width = known_.nets.at(names[0]).width;
    const std::string stem = name_of(names);
    for (const std::string& name : names) {
      const Net& net = known_.nets.at(name);
      if (net.width != width || name.find(stem) == std::string::npos) return std::nullopt;
      values.push_back(&net.value);
    }
    CommonForm form(known_.nets, known_.widths, 0);
    std::optional<Expression> value = form.of(values, true);
    if (!value || !form.varies || to_text(*value).size() > kLongestText) return std::nullopt;
    return Family{std::move(names), std::move(*value)};
  }

  /// The most nets that go with the first and others behind it, or before it.
  Family family_of(const std::vector<std::string>& names, std::size_t first) {
    Family best;
    for (std::size_t second = first + 1; second < names.size(); ++second) {
      std::optional<Family> made = family({names[first], names[second]});
      if (!made) continue;
      for (std::size_t i = second + 1; i < names.size(); ++i) {
        std::vector<std::string> more = made->names;
        more.push_back(names[i]);
        if (std::optional<Family> longer = family(more)) made = std::move(longer);
      }
      if (made->names.size() < kLeastTurns) continue;
      for (std::size_t i = first; i-- > 0;) {
        std::vector<std::string> more = made->names;
        more.insert(more.begin(), names[i]);
        if (std::optional<Family> longer = family(more)) made = std::move(longer);
      }
      std::vector<std::string> reversed(made->names.rbegin(), made->names.rend());
      std::optional<Family> other = family(reversed);
      if (other && to_text(other->value).size() < to_text(made->value).size()) {
        made = std::move(other);
      }
      if (made->names.size() > best.names.size()) best = std::move(*made);
    }
    return best;
  }

  void make_vector(const Family& family) {
    const unsigned width = known_.nets.at(family.names[0]).width;
    const auto count = static_cast<unsigned>(family.names.size());
    for (const std::string& name : family.names) known_.taken.erase(name);
    const std::string vector = known_.unique(name_of(family.names));
    std::map<std::string, Expression> elements;
    for (unsigned i = 0; i < count; ++i) {
      elements[family.names[i]] = element_of(vector, i, width, count);
    }
    replace(module_, elements);
    unsigned left = count;
    for (Statements& part : module_.parts) {
      Statements kept;
      for (Statement& one : part.statements()) {
        if (one.kind != Kind::kNet || one.target.is(kName)) {
          kept.add(std::move(one));
          continue;
        }
        if (left == count) kept.add(declaration(vector, count * width));
        if (--left == 0) {
          Statements body;
          body.connect(element_of(vector, Expression(kCounter), width), family.value);
          kept.block(loop_head("genvar", 0, count), body, known_.unique("gen_" + vector));
        }
      }
      part.statements() = std::move(kept.statements());
    }
  }

  /// The shortest, without a number at its end.
  static std::string name_of(const std::vector<std::string>& names) {
    return without_number(shortest(names));
  }

  Module& module_;
  Nets known_{module_};
};

}  // namespace

Module with_loops(Module module) {
  Roller(module).run();
  return module;
}

}  // namespace systole::compiler::sv
