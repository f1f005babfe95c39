#pragma once

#include <CLI/CLI.hpp>

namespace systole {

void add_generate_command(CLI::App& app);

}  // namespace systole
