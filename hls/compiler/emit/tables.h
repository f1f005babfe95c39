#pragma once

#include <map>
#include <string>
#include <vector>

#include "hls/compiler/emit/names.h"
#include "hls/compiler/verilog/statement.h"

namespace llvm {
class CallInst;
class Function;
}  // namespace llvm

namespace systole::compiler {

/// A module's constant look-up tables, each one wide localparam with element 0 lowest: the form on
/// which simulators and synthesis tools agree.
class Tables {
 public:
  explicit Tables(Names& names) : names_(names) {}

  /// Names a function's look-up tables.
  void add(const llvm::Function& function);
  /// The localparam of a pick whose elements are all constants.
  std::string name_of(const llvm::CallInst& pick);
  void declare(sv::Statements& out) const;

 private:
  struct Table {
    std::string name;
    unsigned width = 0;
    std::vector<std::string> elements;  ///< literals, element 0 first
  };
  Names& names_;
  std::map<std::string, Table> tables_;  ///< by everything they hold
  std::vector<std::string> order_;
};

}  // namespace systole::compiler
