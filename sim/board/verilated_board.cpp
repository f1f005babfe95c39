#include "sim/board/verilated_board.h"

#include <stdexcept>

#include "Vulx3s.h"

namespace systole::sim {
namespace {

class VerilatedBoard final : public ClockedBoard {
 public:
  VerilatedBoard() {
    model_.btn_fire1 = 1;
    for (int i = 0; i < 4; ++i) edge();
    model_.btn_fire1 = 0;
    for (int i = 0; i < 2; ++i) edge();  // through the registers of the reset
  }

  void clock(const ToBoard& to, FromBoard& from) override {
    if (to.step != kStep || to.patience != kPatience) {
      throw std::invalid_argument("the RTL was built for another line");
    }
    model_.ftdi_txd = to.line;
    model_.chip_d = to.data;
    edge();
    from.line = model_.ftdi_rxd != 0;
    from.busy = (model_.led & 1) != 0;
    from.faulted = (model_.led & 2) != 0;
    from.interrupt = (model_.led & 4) != 0;
    from.sdram = {.command = static_cast<std::uint8_t>(model_.sdram_rasn << 2 |
                                                       model_.sdram_casn << 1 | model_.sdram_wen),
                  .bank = model_.sdram_ba,
                  .address = model_.sdram_a,
                  .mask = model_.sdram_dqm,
                  .data = model_.board_d,
                  .drives = model_.board_drives != 0};
  }

 private:
  // As rtl/CMakeLists.txt builds it: two clocks a bit.
  static constexpr std::uint16_t kStep = 0x8000;
  static constexpr std::uint32_t kPatience = 4096;

  void edge() {
    model_.clk_25mhz = 1;
    model_.eval();
    model_.clk_25mhz = 0;
    model_.eval();
  }

  Vulx3s model_;
};

}  // namespace

std::unique_ptr<ClockedBoard> make_verilated_board() { return std::make_unique<VerilatedBoard>(); }

}  // namespace systole::sim
