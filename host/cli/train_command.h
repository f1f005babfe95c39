#pragma once

#include <CLI/CLI.hpp>

namespace systole {

/// `systole train`: one network, trained on one device.
void add_train_command(CLI::App& app);

}  // namespace systole
