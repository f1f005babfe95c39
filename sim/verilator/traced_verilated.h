#pragma once

// For the sources that link to systole::traced_accelerator_4.

#include <Vtraced_accelerator_4.h>
#include <fmt/format.h>
#include <verilated_fst_c.h>

#include <stdexcept>
#include <utility>

#include "sim/verilator/owned_model.h"
#include "sim/verilator/trace_window.h"

namespace systole::sim {

struct TracedContext : RandomContext {
  TracedContext() { context.traceEverOn(true); }
};

/// A Verilated model that writes its signals after every evaluation within the window.
///
/// Units    clock c is the time 2 c and 2 c + 1 of the file
/// Errors   std::runtime_error for a file that cannot be written
class TracedVerilated : private TracedContext, public Vtraced_accelerator_4 {
 public:
  static constexpr int kN = 4;

  explicit TracedVerilated(TraceWindow window)
      : Vtraced_accelerator_4(&context), window_(std::move(window)) {
    trace(&file_, 99);
    file_.open(window_.file.c_str());
    if (!file_.isOpen()) {
      throw std::runtime_error(fmt::format("{}: the trace cannot be written", window_.file));
    }
  }
  ~TracedVerilated() override { file_.close(); }

  static void require_size(int array_size) {
    if (array_size == kN) return;
    throw std::invalid_argument(fmt::format(
        "signals can be traced for an array of {}, not of {}: choose --array {}; every size has "
        "the same control",
        kN, array_size, kN));
  }

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

}  // namespace systole::sim
