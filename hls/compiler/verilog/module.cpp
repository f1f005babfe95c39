#include "hls/compiler/verilog/module.h"

#include <fmt/format.h>

namespace systole::compiler::sv {

std::string to_text(const Module& module) {
  std::string text =
      fmt::format("{}\nmodule {} (\n{});\n", module.header, module.name, to_text(module.ports, 1));
  for (const Statements& part : module.parts) {
    if (!part.empty()) text += "\n" + to_text(part, 1);
  }
  return text + "\nendmodule\n";
}

}  // namespace systole::compiler::sv
