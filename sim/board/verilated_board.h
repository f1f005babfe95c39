#pragma once

#include <memory>

#include "sim/board/board_signals.h"

namespace systole::sim {

/// The ULX3S's top as RTL in Verilator, but for its clock generator.
std::unique_ptr<ClockedBoard> make_verilated_board();

}  // namespace systole::sim
