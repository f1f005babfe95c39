#pragma once

#include <string>
#include <vector>

namespace systole::compiler {

/// The kernel headers installed with this program: PREFIX/include for PREFIX/bin. None in a build
/// tree.
std::vector<std::string> installed_headers();

}  // namespace systole::compiler
