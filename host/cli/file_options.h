#pragma once

#include <CLI/CLI.hpp>

namespace systole {

/// Marks an option of a command whose value names a file that the command writes, reads, or a
/// folder into which it writes figures. Returns the option.
CLI::Option* writes_file(CLI::Option* option);
CLI::Option* reads_file(CLI::Option* option);
CLI::Option* writes_figures(CLI::Option* option);

/// Refuses a command line on which one of the command's outputs would replace another or an input,
/// before any work is done. `--resume` and `--checkpoint` may name one file, the training's.
///
/// Limits   files are compared by what their paths lead to; devices such as /dev/null may be shared
/// Errors   UsageError naming both options and the file
void need_separate_files(const CLI::App& command);

}  // namespace systole
