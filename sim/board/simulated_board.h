#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "sim/board/board_signals.h"
#include "sim/board/sdram_model.h"
#include "sim/board/uart_model.h"

namespace systole::sim {

/// Units    clocks_per_bit: of the serial line, at the board and, unless 0, at the host;
///          patience: hls/board/board_link.h
struct BoardPace {
  double clocks_per_bit = 2;
  double host_clocks_per_bit = 0;
  std::uint32_t patience = 4096;
};

/// A board with its SDRAM and the host's end of its serial line, clock by clock.
///
/// Errors   SdramError
class SimulatedBoard {
 public:
  SimulatedBoard(std::unique_ptr<ClockedBoard> board, double clock_mhz, BoardPace pace = {});

  void send(std::uint8_t byte) { uart_.send(byte); }
  void pause(std::int32_t clocks) { uart_.pause(clocks); }
  std::optional<std::uint8_t> take() { return uart_.take(); }
  void tick();

  /// Whether nothing will happen before a byte is sent.
  bool idle() const;

  const FromBoard& pins() const { return from_; }
  const SdramModel& sdram() const { return sdram_; }
  std::uint64_t clocks() const { return clocks_; }

 private:
  std::unique_ptr<ClockedBoard> board_;
  SdramModel sdram_;
  UartModel uart_;
  ToBoard to_;
  FromBoard from_;
  std::uint64_t clocks_ = 0, line_used_ = 0;
};

/// The board's HLS C++, run natively.
std::unique_ptr<ClockedBoard> make_native_board();

}  // namespace systole::sim
