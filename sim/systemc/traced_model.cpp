#include "sim/systemc/traced_model.h"

#include <Vtraced_accelerator_4.h>
#include <fmt/format.h>
#include <verilated_fst_c.h>

#include <stdexcept>
#include <utility>

#include "sim/verilator/owned_model.h"
#include "sim/verilator/verilated_accelerator.h"

namespace systole::sim {
namespace {

struct TracedContext : RandomContext {
  TracedContext() { context.traceEverOn(true); }
};

/// A Verilated model that writes its signals after every evaluation within the window.
class TracedVerilated : private TracedContext, public Vtraced_accelerator_4 {
 public:
  explicit TracedVerilated(TraceWindow window)
      : Vtraced_accelerator_4(&context), window_(std::move(window)) {
    trace(&file_, 99);
    file_.open(window_.file.c_str());
    if (!file_.isOpen()) {
      throw std::runtime_error(fmt::format("{}: the trace cannot be written", window_.file));
    }
  }
  ~TracedVerilated() override { file_.close(); }

  void eval() {
    Vtraced_accelerator_4::eval();
    if (rst_ni == 0) return;
    clock_ += clk_i;  // an edge ends a clock
    if (clock_ > window_.last) file_.close();
    if (clock_ < window_.first || !file_.isOpen()) return;
    file_.dump(2 * clock_ + (clk_i == 0));
  }

 private:
  TraceWindow window_;
  VerilatedFstC file_;
  std::uint64_t clock_ = 0;
};

}  // namespace

std::unique_ptr<DeviceModel> make_traced_model(int array_size, TraceWindow window) {
  if (array_size != 4) {
    throw std::invalid_argument(
        fmt::format("signals can be traced for an array of 4, not of {}", array_size));
  }
  using Device = VerilatedAccelerator<TracedVerilated, 4>;
  return std::make_unique<DeviceModelOf<Device>>(
      std::make_unique<Device>(std::make_unique<TracedVerilated>(std::move(window))));
}

}  // namespace systole::sim
