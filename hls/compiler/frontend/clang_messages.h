#pragma once

#include <string>

namespace systole::compiler {

/// The first errors among clang's messages, "file:line:column: what", one a line; "" where there
/// are none. An error inside the type layer (a value too wide for its type, say) is given at the
/// user's line that asks for it.
std::string clang_errors(const std::string& messages);

}  // namespace systole::compiler
