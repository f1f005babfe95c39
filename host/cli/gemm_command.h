#pragma once

#include <CLI/CLI.hpp>

namespace systole {

/// `systole gemm`: one matrix product on one device, with operands from a seed.
void add_gemm_command(CLI::App& app);

}  // namespace systole
