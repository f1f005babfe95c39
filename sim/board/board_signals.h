#pragma once

#include <cstdint>

#include "sim/board/sdram_model.h"

namespace systole::sim {

/// A board's pins but for its clock, as plain data.
///
/// Units    step, patience: hls/board/board_link.h
struct ToBoard {
  bool line = true;
  std::uint16_t step = 0;
  std::uint32_t patience = 0;
  std::uint16_t data = 0;
};
struct FromBoard {
  bool line = true;
  bool busy = false, faulted = false, interrupt = false;
  SdramSignals sdram;
};

/// A board that is simulated clock by clock: its C++ or its RTL.
class ClockedBoard {
 public:
  virtual ~ClockedBoard() = default;
  /// One rising edge; `from` receives the outputs after it.
  virtual void clock(const ToBoard& to, FromBoard& from) = 0;
};

}  // namespace systole::sim
