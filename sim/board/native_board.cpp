#include "hls/board/board.h"
#include "sim/board/board_clock.h"
#include "sim/board/simulated_board.h"

namespace systole::sim {
namespace {

class NativeBoard final : public ClockedBoard {
 public:
  NativeBoard() { unit_.reset(); }

  void clock(const ToBoard& to, FromBoard& from) override {
    using namespace hls;
    unit_.clock({.line = UInt1::from(to.line),
                 .step = UInt16::from(to.step),
                 .patience = UInt<24>::from(to.patience),
                 .data = UInt16::from(to.data)});
    const auto out = unit_.outputs();
    from.line = static_cast<bool>(out.line);
    from.busy = static_cast<bool>(out.busy);
    from.faulted = static_cast<bool>(out.faulted);
    from.interrupt = static_cast<bool>(out.interrupt);
    from.sdram = {.command = static_cast<std::uint8_t>(out.pins.command.value()),
                  .bank = static_cast<std::uint8_t>(out.pins.bank.value()),
                  .address = static_cast<std::uint16_t>(out.pins.address.value()),
                  .mask = static_cast<std::uint8_t>(out.pins.mask.value()),
                  .data = static_cast<std::uint16_t>(out.pins.data.value()),
                  .drives = !static_cast<bool>(out.pins.releases)};
  }

 private:
  board::Board<kBoardMhz> unit_;
};

}  // namespace

std::unique_ptr<ClockedBoard> make_native_board() { return std::make_unique<NativeBoard>(); }

}  // namespace systole::sim
