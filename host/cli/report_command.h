#pragma once

#include <CLI/CLI.hpp>

namespace systole {

/// `systole report`: recorded runs as one HTML page.
void add_report_command(CLI::App& app);

}  // namespace systole
