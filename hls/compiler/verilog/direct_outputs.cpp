#include "hls/compiler/verilog/direct_outputs.h"

#include <map>
#include <set>
#include <string>

#include "hls/compiler/verilog/nets.h"

namespace systole::compiler::sv {
namespace {

using Kind = Statement::Kind;

/// The signals that are declared as vectors, all of them or those that submodules drive.
std::set<std::string> signals_of(const Module& module, bool only_outputs) {
  std::set<std::string> vectors;
  std::set<std::string> outputs;
  for (const Statements& part : module.parts) {
    for (const Statement& one : part.statements()) {
      const bool is_vector = one.kind == Kind::kDeclaration && one.text.starts_with("logic");
      if (is_vector && one.elements == 0) vectors.insert(one.target.text);
      for (const Statement::Port& port : one.ports) {
        const bool is_output = port.name.ends_with("_o") && port.value.is(Expression::Kind::kName);
        if (is_output && vectors.count(port.value.text) != 0) outputs.insert(port.value.text);
      }
    }
  }
  return only_outputs ? outputs : vectors;
}

bool is_heading(const Statement& one) {
  return one.kind == Kind::kLine && one.text.starts_with("// ----");
}
bool is_blank(const Statement& one) { return one.kind == Kind::kLine && one.text.empty(); }

/// Removes headings with nothing below them.
void remove_bare_headings(Statements& part) {
  std::vector<Statement>& all = part.statements();
  for (std::size_t at = all.size(); at-- > 0;) {
    const bool ends = at + 1 == all.size() || is_blank(all[at + 1]) || is_heading(all[at + 1]);
    if (is_heading(all[at]) && ends) all.erase(all.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

/// The connections of whole signals among these to ports of the module, without the connections.
std::map<std::string, Expression> take_connections(Module& module,
                                                   const std::set<std::string>& signals) {
  std::map<std::string, Expression> ports;
  for (Statements& part : module.parts) {
    std::erase_if(part.statements(), [&](const Statement& one) {
      const bool is_whole = one.kind == Kind::kConnection && one.target.text.ends_with("_o") &&
                            one.target.is(Expression::Kind::kName) &&
                            one.value.is(Expression::Kind::kName);
      return is_whole && signals.count(one.value.text) != 0 &&
             ports.emplace(one.value.text, one.target).second;
    });
  }
  return ports;
}

/// Reads and writes the ports instead of the signals.
void replace_signals(Module& module, const std::map<std::string, Expression>& ports) {
  for (Statements& part : module.parts) {
    std::erase_if(part.statements(), [&](const Statement& one) {
      return one.kind == Kind::kDeclaration && ports.count(one.target.text) != 0;
    });
    remove_bare_headings(part);
  }
  replace(module, ports);
}

/// How often registers are written.
void count_writes(const Statements& content, std::map<std::string, unsigned>& counts) {
  for (const Statement& one : content.statements()) {
    if (one.kind == Kind::kAssignment && one.text == "<=") ++counts[root_of(one.target)];
    for (const Statement::Arm& arm : one.arms) count_writes(arm.body, counts);
  }
}

}  // namespace

Module with_direct_outputs(Module module) {
  replace_signals(module, take_connections(module, signals_of(module, true)));
  return module;
}

Module with_output_registers(Module module) {
  std::map<std::string, unsigned> occurrences;
  std::map<std::string, unsigned> writes;
  for (const Statements& part : module.parts) {
    for_each_expression(part, [&](const Expression& one) { count_names(one, occurrences); });
    count_writes(part, writes);
  }
  std::set<std::string> registers = signals_of(module, false);
  std::erase_if(registers, [&](const std::string& name) {
    return writes[name] == 0 || occurrences[name] != writes[name] + 2;  // declared, connected
  });
  replace_signals(module, take_connections(module, registers));
  return module;
}

Module with_output_nets(Module module) {
  std::set<std::string> nets;
  for (const Statements& part : module.parts) {
    for (const Statement& one : part.statements()) {
      if (one.kind == Kind::kNet && one.comment.empty()) nets.insert(one.target.text);
    }
  }
  const std::map<std::string, Expression> ports = take_connections(module, nets);
  for (Statements& part : module.parts) {
    for (Statement& one : part.statements()) {
      if (one.kind != Kind::kNet || ports.count(one.target.text) == 0) continue;
      one.kind = Kind::kConnection;
      one.text.clear();
    }
  }
  replace_signals(module, ports);
  return module;
}

}  // namespace systole::compiler::sv
