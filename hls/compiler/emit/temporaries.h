#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hls/compiler/emit/names.h"
#include "hls/compiler/verilog/statement.h"

namespace systole::compiler {

/// The variables of one always_ff that hold values between statements, each declared in the block
/// that uses it; sibling blocks may share a name, nested ones may not. Variables of loops are
/// declared at the top, since Yosys 0.23 takes none in a loop's block.
class Temporaries {
 public:
  /// `taken`: the module's names, which a variable must not hide.
  explicit Temporaries(const Names& taken) : taken_(taken), scopes_{{taken, {}}} {}

  /// Enters a block, and leaves it.
  void open() { scopes_.push_back({scopes_.back().visible, {}}); }
  void close() { scopes_.pop_back(); }

  /// Declares a variable in the block and returns its name.
  std::string declare(const NameChoices& choices, unsigned width, sv::Statements& block);
  /// Adds a loop's variable and returns its name, unique in the process.
  std::string add(const NameChoices& choices, unsigned width);
  void declare(sv::Statements& process) const;

 private:
  struct Scope {
    Names visible;  ///< of the module, of the blocks around it, and its own
    Names inside;   ///< of inner blocks, which a later variable must not reuse
  };

  Names taken_;  ///< of the module and of every block
  std::vector<Scope> scopes_;
  std::vector<std::pair<std::string, unsigned>> variables_;
};

}  // namespace systole::compiler
