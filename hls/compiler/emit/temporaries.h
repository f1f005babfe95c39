#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hls/compiler/emit/names.h"
#include "hls/compiler/emit/writer.h"

namespace systole::compiler {

/// The variables of one always_ff that hold a value between two statements. They are declared at
/// its top and start from zero there: Verilator keeps in a machine register only what it sees
/// assigned before any loop, and without that no loop over lanes becomes vector code. Synthesis
/// drops the zeros.
class Temporaries {
 public:
  /// `taken` are the module's names: a variable that hid one of them would be read in its place.
  explicit Temporaries(const Names& taken) : names_(taken) {}

  /// Adds a variable and gives its name, unique in the module.
  std::string add(const std::string& base, unsigned width);
  void declare(Writer& process) const;

 private:
  Names names_;
  std::vector<std::pair<std::string, unsigned>> variables_;
};

}  // namespace systole::compiler
