#include "hls/compiler/emit/temporaries.h"

#include <fmt/format.h>

namespace systole::compiler {

std::string Temporaries::add(const std::string& base, unsigned width) {
  const std::string name = names_.unique(base);
  variables_.emplace_back(name, width);
  return name;
}

void Temporaries::declare(Writer& process) const {
  for (const auto& [name, width] : variables_) {
    process.declare(fmt::format("{} {};", logic_type(width), name));
  }
  // Several to a line: they say nothing that the reader needs.
  constexpr std::size_t kColumns = 90;
  std::string line;
  for (const auto& [name, width] : variables_) {
    const std::string zero = fmt::format("{} = {}'d0;", name, width);
    if (!line.empty() && line.size() + zero.size() + 1 > kColumns) {
      process.declare(line);
      line.clear();
    }
    line += (line.empty() ? "" : " ") + zero;
  }
  if (!line.empty()) process.declare(line);
}

}  // namespace systole::compiler
