#pragma once

#include <memory>

#include "sim/board/board_signals.h"

namespace systole::sim {

/// The top of the ULX3S, rtl/shell/systole_ulx3s.sv, in Verilator, built for two clocks a bit.
///
/// Errors   clock() throws std::invalid_argument for another pace than BoardPace's own
std::unique_ptr<ClockedBoard> make_verilated_board();

}  // namespace systole::sim
