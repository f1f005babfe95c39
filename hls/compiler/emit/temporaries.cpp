#include "hls/compiler/emit/temporaries.h"

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
}

}  // namespace systole::compiler
