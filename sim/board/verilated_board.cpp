#include "sim/board/verilated_board.h"

#include "Vboard_40.h"

namespace systole::sim {
namespace {

class VerilatedBoard final : public ClockedBoard {
 public:
  VerilatedBoard() {
    model_.rst_ni = 0;
    for (int i = 0; i < 2; ++i) edge();
    model_.rst_ni = 1;
    model_.eval();
  }

  void clock(const ToBoard& to, FromBoard& from) override {
    model_.line_i = to.line;
    model_.step_i = to.step;
    model_.patience_i = to.patience;
    model_.data_i = to.data;
    edge();
    from.line = model_.line_o != 0;
    from.busy = model_.busy_o != 0;
    from.faulted = model_.faulted_o != 0;
    from.interrupt = model_.interrupt_o != 0;
    from.sdram = {.command = model_.pins_command_o,
                  .bank = model_.pins_bank_o,
                  .address = model_.pins_address_o,
                  .mask = model_.pins_mask_o,
                  .data = model_.pins_data_o,
                  .drives = model_.pins_drives_o != 0};
  }

 private:
  void edge() {
    model_.clk_i = 1;
    model_.eval();
    model_.clk_i = 0;
    model_.eval();
  }

  Vboard_40 model_;
};

}  // namespace

std::unique_ptr<ClockedBoard> make_verilated_board() { return std::make_unique<VerilatedBoard>(); }

}  // namespace systole::sim
