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
  /// Adds a variable and gives its name, unique in the process.
  std::string add(const std::string& base, unsigned width);
  void declare(Writer& process) const;

 private:
  Names names_;
  std::vector<std::pair<std::string, unsigned>> variables_;
};

}  // namespace systole::compiler
