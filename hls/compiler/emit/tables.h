#pragma once

#include <map>
#include <string>
#include <vector>

#include "hls/compiler/emit/names.h"
#include "hls/compiler/emit/writer.h"

namespace llvm {
class CallInst;
class Function;
}  // namespace llvm

namespace systole::compiler {

/// The constant tables that a module looks values up in, each one wide localparam with element 0
/// lowest: the form that simulators and synthesis tools agree on.
class Tables {
 public:
  explicit Tables(Names& names) : names_(names) {}

  /// Names the tables that a function looks values up in.
  void add(const llvm::Function& function);
  /// The localparam of a pick whose elements are all constants.
  std::string name_of(const llvm::CallInst& pick);
  void declare(Writer& writer) const;

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
