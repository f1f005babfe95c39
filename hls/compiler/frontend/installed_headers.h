#pragma once

#include <string>
#include <vector>

namespace systole::compiler {

/// The headers of kernels that are installed beside this program: PREFIX/include of PREFIX/bin.
/// None in a build tree.
std::vector<std::string> installed_headers();

}  // namespace systole::compiler
