#pragma once

#include <map>
#include <set>
#include <string>

#include "hls/compiler/verilog/module.h"

namespace systole::compiler::sv {

/// A `wire`.
struct Net {
  Expression value;
  unsigned width = 0;
  unsigned reads = 0;
};

/// A module's nets and names.
struct Nets {
  explicit Nets(const Module& module);

  std::map<std::string, Net> nets;
  std::map<std::string, unsigned> widths;  ///< of signals that are no arrays
  std::set<std::string> taken;             ///< names, also of variables
  std::set<std::string> whole;             ///< what must stay a signal: its members or elements at
                                           ///< an index are read

  /// The name, or with a number behind it.
  std::string unique(const std::string& name);
};

/// Visits each expression of the statements, targets too.
template <class Content, class Visit>
void for_each_expression(Content& content, const Visit& visit) {
  for (auto& one : content.statements()) {
    visit(one.target);
    visit(one.value);
    for (auto& port : one.ports) visit(port.value);
    for (auto& arm : one.arms) {
      for (auto& label : arm.labels) visit(label);
      for_each_expression(arm.body, visit);
    }
  }
}

/// Adds how often each name stands in the expression.
void count_names(const Expression& one, std::map<std::string, unsigned>& counts);

/// The expression with values for names.
Expression with_values(const Expression& one, const std::map<std::string, Expression>& values);

/// Reads elements for names in all of the module.
void replace(Module& module, const std::map<std::string, Expression>& values);

/// Removes nets among these that nothing reads, and what only those read.
void remove_unread(Module& module, std::set<std::string> names);

}  // namespace systole::compiler::sv
