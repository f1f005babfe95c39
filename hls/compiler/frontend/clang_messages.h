#pragma once

#include <string>

namespace systole::compiler {

/// The first errors among clang's messages, "file:line:column: what", one a line; "" if there are
/// none. An error inside a library, such as a value too wide for its type, is reported at the
/// user's line that causes it; one inside the unit that hlsc writes (kEntryFile) only where there
/// is no other.
std::string clang_errors(const std::string& messages);

}  // namespace systole::compiler
