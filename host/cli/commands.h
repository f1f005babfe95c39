#pragma once

#include <CLI/CLI.hpp>

namespace systole {

// Each adds a command of `systole`, which the file of its name has.

/// The same training on several devices and batch sizes, side by side.
void add_compare_command(CLI::App& app);
/// What this build can multiply on.
void add_devices_command(CLI::App& app);
/// One matrix product on one device, with operands from a seed.
void add_gemm_command(CLI::App& app);
/// Words that a trained model of letters spells.
void add_generate_command(CLI::App& app);
/// A model's training step, as the device would run it.
void add_inspect_command(CLI::App& app);
/// Recorded runs as one HTML page.
void add_report_command(CLI::App& app);
/// One network, trained on one device.
void add_train_command(CLI::App& app);
/// Sentences through a network that `systole train nmt` trained.
void add_translate_command(CLI::App& app);
/// Random programs on the native C++, the RTL and the interpreter, compared.
void add_verify_command(CLI::App& app);

}  // namespace systole
