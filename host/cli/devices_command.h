#pragma once

#include <CLI/CLI.hpp>

namespace systole {

/// `systole devices`: what this build can multiply on.
void add_devices_command(CLI::App& app);

}  // namespace systole
