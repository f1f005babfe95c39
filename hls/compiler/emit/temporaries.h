#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hls/compiler/emit/names.h"
#include "hls/compiler/emit/writer.h"

namespace systole::compiler {

/// The variables of one always_ff that hold a value between two statements. One is declared in the
/// block that uses it; blocks side by side may use the same name, a block inside another may not.
/// Those of loops are declared at the top and start from zero there: Verilator keeps in a machine
/// register only what it sees assigned before any loop, and without that no loop over lanes becomes
/// vector code. Synthesis drops the zeros.
class Temporaries {
 public:
  /// `taken` are the module's names: a variable that hid one of them would be read in its place.
  explicit Temporaries(const Names& taken) : taken_(taken), scopes_{{taken, {}}} {}

  /// Enters a block, and leaves it.
  void open() { scopes_.push_back({scopes_.back().visible, {}}); }
  void close() { scopes_.pop_back(); }

  /// Declares a variable in the block and gives its name.
  std::string declare(const NameChoices& choices, unsigned width, Writer& block);
  /// Adds a variable of a loop and gives its name, unique in the process.
  std::string add(const NameChoices& choices, unsigned width);
  void declare(Writer& process) const;

 private:
  struct Scope {
    Names visible;  ///< of the module, of the blocks around it, and its own
    Names inside;   ///< of the blocks in it, which would hide a variable that it declares later
  };

  Names taken_;  ///< of the module and of every block
  std::vector<Scope> scopes_;
  std::vector<std::pair<std::string, unsigned>> variables_;
};

}  // namespace systole::compiler
