#pragma once

#include <CLI/CLI.hpp>

namespace systole {

/// `systole compare`: the same training on several devices and batch sizes, side by side.
void add_compare_command(CLI::App& app);

}  // namespace systole
