#pragma once

namespace systole::sim {

/// The clock of the ULX3S's bitstream.
inline constexpr int kBoardMhz = 50;

}  // namespace systole::sim
