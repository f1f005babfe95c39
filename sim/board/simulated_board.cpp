#include "sim/board/simulated_board.h"

#include <algorithm>
#include <utility>

namespace systole::sim {
namespace {

constexpr std::uint64_t kLightsPeriod = 4096;  // clocks between two looks at the busy bit

}  // namespace

SimulatedBoard::SimulatedBoard(std::unique_ptr<ClockedBoard> board, double clock_mhz,
                               BoardPace pace)
    : board_(std::move(board)),
      sdram_(clock_mhz),
      uart_(pace.host_clocks_per_bit == 0 ? pace.clocks_per_bit : pace.host_clocks_per_bit) {
  to_.step = static_cast<std::uint16_t>(65536 / pace.clocks_per_bit + 0.5);
  to_.patience = pace.patience;
}

void SimulatedBoard::tick() {
  to_.line = uart_.tick(from_.line);
  board_->clock(to_, from_);
  to_.data = sdram_.tick(from_.sdram);
  ++clocks_;
  if (!to_.line || !from_.line || !uart_.idle()) line_used_ = clocks_;
}

bool SimulatedBoard::idle() const {
  // The board may wait for the rest of a request, or have one of many words under way.
  const std::uint64_t settles = std::max<std::uint64_t>(2 * to_.patience, 4 * kLightsPeriod);
  return clocks_ - line_used_ > settles && !from_.busy;
}

}  // namespace systole::sim
