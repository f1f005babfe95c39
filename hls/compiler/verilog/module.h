#pragma once

#include <string>
#include <vector>

#include "hls/compiler/verilog/statement.h"

namespace systole::compiler::sv {

/// A module; a blank line stands between its parts.
struct Module {
  std::string header;  ///< the comment above it
  std::string name;
  Statements ports;
  std::vector<Statements> parts;
};

std::string to_text(const Module& module);

}  // namespace systole::compiler::sv
