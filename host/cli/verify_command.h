#pragma once

#include <CLI/CLI.hpp>

namespace systole {

/// `systole verify`: random programs on the native C++, the RTL and the interpreter, compared.
void add_verify_command(CLI::App& app);

}  // namespace systole
