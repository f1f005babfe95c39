#pragma once

#include <CLI/CLI.hpp>

namespace systole {

/// `systole translate`: sentences through a network that `systole train nmt` trained.
void add_translate_command(CLI::App& app);

}  // namespace systole
