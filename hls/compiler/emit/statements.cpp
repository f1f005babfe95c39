#include "hls/compiler/emit/statements.h"

#include <llvm/IR/DebugInfoMetadata.h>

#include <cctype>

#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

bool is_part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Whether the line gives the variable a new value: "sum = ...", "sum += ...".
bool assigns(const std::string& line, const std::string& variable) {
  for (std::size_t at = line.find(variable); at != std::string::npos;
       at = line.find(variable, at + 1)) {
    if (at > 0 && (is_part_of_name(line[at - 1]) || line[at - 1] == '.')) continue;
    const std::size_t next = line.find_first_not_of(' ', at + variable.size());
    if (next == std::string::npos || is_part_of_name(line[at + variable.size()])) continue;
    const std::size_t equals = line.find_first_not_of("+-*/&|^<>", next);
    if (equals == std::string::npos || line[equals] != '=' || line[equals + 1] == '=') continue;
    const std::string operation = line.substr(next, equals - next);
    if (operation != "<" && operation != ">") return true;  // not a comparison
  }
  return false;
}

}  // namespace

const std::string& SourceText::line(const llvm::DILocation& at, unsigned number) {
  const std::string path = path_of(at.getDirectory(), at.getFilename());
  const auto [found, is_new] = lines_.try_emplace({path, number});
  if (is_new) found->second = source_line(path, number).value_or("");
  return found->second;
}

const llvm::DILocalVariable* statement_of(const llvm::DILocation& location, SourceText& source) {
  const llvm::DILocation* at = user_location(&location);
  if (!at) return nullptr;
  const llvm::DISubprogram* subprogram = at->getScope()->getSubprogram();
  const std::string& line = source.line(*at, at->getLine());
  const llvm::DILocalVariable* best = nullptr;
  for (const llvm::DINode* node : subprogram->getRetainedNodes()) {
    const auto* variable = llvm::dyn_cast<llvm::DILocalVariable>(node);
    if (!variable || variable->getArg() != 0 || variable->getLine() > at->getLine()) continue;
    if (llvm::isa_and_nonnull<llvm::DIBasicType>(variable->getType())) continue;  // a loop's int
    if (assigns(line, variable->getName().str())) return variable;
    if (!best || variable->getLine() >= best->getLine()) best = variable;
  }
  // A statement has a few lines; beyond them a line belongs to no variable.
  constexpr unsigned kLongest = 8;
  if (!best || at->getLine() - best->getLine() > kLongest) return nullptr;
  for (unsigned number = best->getLine(); number < at->getLine(); ++number) {
    if (source.line(*at, number).find(';') != std::string::npos) return nullptr;
  }
  return best;
}

}  // namespace systole::compiler
