#pragma once

#include <set>
#include <string>
#include <vector>

namespace systole::compiler {

/// Candidate names, best first.
using NameChoices = std::vector<std::string>;

/// Identifiers of one SystemVerilog module: unique, and never a keyword or a loop's variable.
class Names {
 public:
  /// `base`, or base_2, base_3 ... if it is taken.
  std::string unique(const std::string& base) { return unique(NameChoices{base}, {}); }
  /// The first candidate that neither this nor `others` contains, else the first with a number.
  std::string unique(const NameChoices& choices, const Names& others = {});
  void take(const std::string& name) { taken_.insert(name); }

 private:
  bool is_free(const std::string& name, const Names& others) const;

  std::set<std::string> taken_;
};

}  // namespace systole::compiler
