#include "hls/compiler/emit/temporaries.h"

#include <fmt/format.h>

namespace systole::compiler {

std::string Temporaries::declare(const NameChoices& choices, unsigned width,
                                 sv::Statements& block) {
  Scope& block_scope = scopes_.back();
  std::string name = block_scope.visible.unique(choices, block_scope.inside);
  taken_.take(name);
  for (Scope& scope : scopes_) scope.inside.take(name);
  block.declare(sv::declaration(name, width));
  return name;
}

std::string Temporaries::add(const NameChoices& choices, unsigned width) {
  std::string name = taken_.unique(choices);
  for (Scope& scope : scopes_) scope.visible.take(name);
  variables_.emplace_back(name, width);
  return name;
}

void Temporaries::declare(sv::Statements& process) const {
  for (const auto& [name, width] : variables_) {
    process.declare(sv::declaration(name, width));
  }
  // Several on a line, since they tell the reader nothing.
  constexpr std::size_t kColumns = 90;
  std::string line;
  for (const auto& [name, width] : variables_) {
    const std::string zero = fmt::format("{} = {}'d0;", name, width);
    if (!line.empty() && line.size() + zero.size() + 1 > kColumns) {
      process.declare({.text = line});
      line.clear();
    }
    line += (line.empty() ? "" : " ") + zero;
  }
  if (!line.empty()) process.declare({.text = line});
}

}  // namespace systole::compiler
