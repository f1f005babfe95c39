#pragma once

#include <string>
#include <vector>

namespace systole::compiler {

/// The facts in a generated file's header.
struct ModuleText {
  std::string name;
  std::string source_file;  ///< as given on the command line
  std::string top;          ///< the C++ type
  std::string version;
  std::string about = "";  ///< lines after the first, for a module that is no clock()
  std::vector<std::string> comment = {};  ///< what the source says about it
};

/// The comment above a generated module: what it is in a line, what its source says about it, which
/// hlsc made it from what; the caller's facts follow.
std::string header_of(const ModuleText& text, const std::string& what);

}  // namespace systole::compiler
