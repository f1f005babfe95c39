#include "hls/compiler/emit/names.h"

#include <fmt/format.h>

namespace systole::compiler {
namespace {

const std::set<std::string>& keywords() {
  static const std::set<std::string> words = {
      "accept_on", "alias",    "always",   "and",      "assert",   "assign",   "assume",
      "automatic", "begin",    "bind",     "bins",     "bit",      "break",    "buf",
      "byte",      "case",     "cell",     "chandle",  "checker",  "class",    "clocking",
      "config",    "const",    "context",  "continue", "cover",    "cross",    "default",
      "design",    "disable",  "dist",     "do",       "edge",     "else",     "end",
      "enum",      "event",    "expect",   "export",   "extends",  "extern",   "final",
      "for",       "force",    "foreach",  "fork",     "function", "generate", "genvar",
      "global",    "if",       "iff",      "import",   "initial",  "inout",    "input",
      "inside",    "int",      "integer",  "interface", "join",    "large",    "let",
      "library",   "local",    "logic",    "longint",  "matches",  "medium",   "modport",
      "module",    "nand",     "negedge",  "new",      "nor",      "not",      "null",
      "or",        "output",   "package",  "packed",   "parameter", "posedge", "primitive",
      "priority",  "program",  "property", "protected", "pull0",   "pull1",    "pure",
      "rand",      "real",     "reg",      "release",  "repeat",   "return",   "scalared",
      "sequence",  "shortint", "signed",   "small",    "solve",    "specify",  "static",
      "string",    "strong",   "struct",   "super",    "supply0",  "supply1",  "table",
      "tagged",    "task",     "this",     "throughout", "time",   "tri",      "type",
      "typedef",   "union",    "unique",   "unsigned", "until",    "use",      "var",
      "vectored",  "virtual",  "void",     "wait",     "wand",     "weak",     "while",
      "wire",      "with",     "within",   "wor",      "xnor",     "xor"};
  return words;
}

}  // namespace

std::string Names::unique(const std::string& base) {
  std::string name = base;
  for (int copy = 2; keywords().count(name) != 0 || !taken_.insert(name).second; ++copy) {
    name = fmt::format("{}_{}", base, copy);
  }
  return name;
}

}  // namespace systole::compiler
