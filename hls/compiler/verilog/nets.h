#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "hls/compiler/verilog/module.h"

namespace systole::compiler::sv {

/// Adds the names of what the statements declare, and their labels.
void add_names(const Statements& content, std::set<std::string>& names);

/// The name, or with a number behind it; it is taken then.
std::string unique_name(const std::string& name, std::set<std::string>& taken);
/// "sum" of "sum_q", "sum_o" and "sum_next".
std::string without_end(std::string name);
/// "sum" of "sum_2".
std::string without_number(std::string name);

/// The shortest of the names, and of two such the first in the alphabet.
template <class Strings>
const std::string& shortest(const Strings& names) {
  return *std::min_element(names.begin(), names.end(),
                           [](const std::string& a, const std::string& b) {
                             return std::pair(a.size(), a) < std::pair(b.size(), b);
                           });
}

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
  std::string unique(const std::string& name) { return unique_name(name, taken); }
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

/// Removes nets that were read before and are read no more.
void remove_unread(Module& module, const Nets& before);

}  // namespace systole::compiler::sv
