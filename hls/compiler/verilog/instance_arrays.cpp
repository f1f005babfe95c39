#include "hls/compiler/verilog/instance_arrays.h"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "hls/compiler/verilog/common_form.h"
#include "hls/compiler/verilog/nets.h"

namespace systole::compiler::sv {
namespace {

using Kind = Statement::Kind;

constexpr std::size_t kLeastInstances = 3;
constexpr std::size_t kShortConnection = 40;
constexpr const char* kUnused = "unused_";
constexpr const char* kCell = "u_";

/// Equal submodules, in the order of their numbers.
struct Family {
  std::string name;  ///< without a number
  std::vector<Statement> members;

  std::string member(std::size_t i) const { return name + std::to_string(i); }
  unsigned count() const { return static_cast<unsigned>(members.size()); }
};

class Gatherer {
 public:
  explicit Gatherer(Module& module) : module_(module) {}

  void run() {
    for (Family& family : families()) gather(family);
  }

 private:
  std::vector<Family> families() const {
    const Nets known(module_);
    std::map<std::pair<std::string, std::string>, std::map<std::size_t, Statement>> found;
    for (const Statements& part : module_.parts) {
      for (const Statement& one : part.statements()) {
        if (one.kind != Kind::kInstance) continue;
        const std::size_t letter = one.label.find_last_not_of("0123456789") + 1;
        if (letter == one.label.size() || one.label[letter - 1] == '_') continue;
        found[{one.text, one.label.substr(0, letter)}][std::stoul(one.label.substr(letter))] = one;
      }
    }
    std::vector<Family> all;
    for (const auto& [key, members] : found) {
      Family family{.name = key.second.substr(std::string_view(kCell).size()), .members = {}};
      for (const auto& [number, one] : members) {
        if (number == family.members.size()) family.members.push_back(one);
      }
      const bool is_whole =
          std::any_of(family.members.begin(), family.members.end(), [&](const Statement& one) {
            return std::any_of(
                one.ports.begin(), one.ports.end(), [&](const Statement::Port& port) {
                  return port.name.ends_with("_o") && known.whole.count(port.value.text) != 0;
                });
          });
      if (is_whole) continue;
      if (family.members.size() == members.size() && family.count() >= kLeastInstances) {
        all.push_back(std::move(family));
      }
    }
    return all;
  }

  void gather(Family& family) {
    const Nets before(module_);
    gather_outputs(family);
    for (const Statements& part : module_.parts) {  // with elements for outputs
      for (const Statement& one : part.statements()) {
        for (Statement& member : family.members) {
          if (one.kind == Kind::kInstance && one.label == member.label) member = one;
        }
      }
    }
    Statements body;
    Statements vectors;
    Statement made = family.members[0];
    made.label = kCell + family.name;
    for (std::size_t port = 0; port < made.ports.size(); ++port) {
      made.ports[port].value = connection(family, port, vectors, body);
    }
    body.add(std::move(made));
    replace_members(family, vectors, std::move(body));
    remove_unread(module_, before);
  }

  // ---- Outputs ----

  void gather_outputs(const Family& family) {
    Nets known(module_);
    std::map<std::string, Expression> elements;
    std::map<std::string, Statements> declared;  // in the place of the first member's output
    for (std::size_t port = 0; port < family.members[0].ports.size(); ++port) {
      const Statement::Port& first = family.members[0].ports[port];
      if (!first.name.ends_with("_o")) continue;
      std::string rest;
      unsigned unused = 0;
      for (unsigned i = 0; i < family.count(); ++i) {
        rest = family.members[i].ports[port].value.text;
        const bool is_unused = rest.starts_with(kUnused);
        if (is_unused) rest = rest.substr(std::string_view(kUnused).size());
        unused += is_unused ? 1 : 0;
        rest = rest.substr(family.member(i).size());
      }
      const std::string prefix = unused == family.count() ? kUnused : "";
      const std::string vector = known.unique(prefix + family.name + rest);
      Statements& place = declared[first.value.text];
      place.add(declaration(vector, family.count() * first.width));
      if (unused != 0 && prefix.empty()) {
        place.define(known.unique(kUnused + vector), 1, unary("^", vector),
                     "not all bits are read");
      }
      for (unsigned i = 0; i < family.count(); ++i) {
        elements[family.members[i].ports[port].value.text] =
            element_of(vector, i, first.width, family.count());
      }
    }
    for (Statements& part : module_.parts) {
      Statements kept;
      for (Statement& one : part.statements()) {
        const bool is_output =
            one.kind == Kind::kDeclaration && elements.count(one.target.text) != 0;
        if (!is_output) {
          kept.add(std::move(one));
        } else if (const auto place = declared.find(one.target.text); place != declared.end()) {
          kept.append(place->second);
        }
      }
      part.statements() = std::move(kept.statements());
    }
    replace(module_, elements);
  }

  // ---- Inputs ----

  /// Whether the module has a signal of this name; those of other `generate`s do not matter.
  bool is_declared(const std::string& name) const {
    return std::any_of(module_.parts.begin(), module_.parts.end(), [&](const Statements& part) {
      return std::any_of(part.statements().begin(), part.statements().end(),
                         [&](const Statement& one) { return one.target == Expression(name); });
    });
  }

  /// What a port is connected to, with nets for it in the `generate`, or vectors before it.
  Expression connection(const Family& family, std::size_t port, Statements& vectors,
                        Statements& body) {
    Nets known(module_);
    const Statement::Port& first = family.members[0].ports[port];
    CommonForm::Alike<Expression> all;
    for (const Statement& member : family.members) all.push_back(&member.ports[port].value);
    const std::string name = first.name.substr(0, first.name.rfind('_'));
    for (const bool may_expand : {false, true}) {
      using enum Expression::Kind;
      CommonForm form(known.nets, known.widths, 0);
      std::optional<Expression> value = form.of(all, may_expand);
      if (!value) continue;
      const bool is_logic = value->is(kBinary) || value->is(kChoice) || value->is(kConcatenation);
      if (!is_logic || to_text(*value).size() <= kShortConnection) return *value;
      const std::string net = is_declared(name) ? known.unique(name) : name;
      body.define(net, first.width, *value);
      return net;
    }
    std::vector<Expression> values;
    for (const Expression* one : all) {
      const auto net =
          one->is(Expression::Kind::kName) ? known.nets.find(one->text) : known.nets.end();
      const bool is_short = net != known.nets.end() && net->second.reads < 2 &&
                            to_text(net->second.value).size() <= kShortConnection;
      values.insert(values.begin(), is_short ? net->second.value : *one);
    }
    const std::string vector = known.unique(family.name + "_" + name);
    vectors.define(vector, first.width * family.count(), concatenation(values));
    return element_of(vector, Expression(kCounter), first.width);
  }

  void replace_members(const Family& family, const Statements& vectors, Statements body) {
    std::set<std::string> labels;
    for (unsigned i = 0; i < family.count(); ++i) labels.insert(kCell + family.member(i));
    unsigned left = family.count();
    Nets known(module_);
    for (Statements& part : module_.parts) {
      Statements kept;
      for (Statement& one : part.statements()) {
        if (one.kind != Kind::kInstance || labels.count(one.label) == 0) {
          kept.add(std::move(one));
          continue;
        }
        if (--left != 0) continue;
        kept.append(vectors);
        kept.block(loop_head("genvar", 0, family.count()), std::move(body),
                   known.unique("gen_" + family.name));
      }
      part.statements() = std::move(kept.statements());
    }
  }

  Module& module_;
};

}  // namespace

Module with_instance_arrays(Module module) {
  Gatherer(module).run();
  return module;
}

}  // namespace systole::compiler::sv
