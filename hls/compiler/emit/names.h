#pragma once

#include <set>
#include <string>

namespace systole::compiler {

/// Identifiers of one SystemVerilog module: unique, and never a keyword or a loop's variable.
class Names {
 public:
  /// `base`, or base_2, base_3 ... where it is taken.
  std::string unique(const std::string& base);

 private:
  std::set<std::string> taken_;
};

}  // namespace systole::compiler
