#pragma once

#include <CLI/CLI.hpp>

namespace systole {

/// systole inspect: a model's training step, as the device would run it.
void add_inspect_command(CLI::App& app);

}  // namespace systole
