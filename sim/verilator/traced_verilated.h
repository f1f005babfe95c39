#pragma once

#include <fmt/format.h>
#include <verilated_fst_c.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "sim/verilator/owned_model.h"
#include "sim/verilator/trace_window.h"

namespace systole::sim {

struct TracedContext : RandomContext {
  TracedContext() { context.traceEverOn(true); }
};

/// A Verilated model that writes its signals within the window.
///
/// Units    clock c is the times 2 c and 2 c + 1 of the file: registers change at 2 c, the rising
///          edge, and the inputs of the clock at 2 c + 1, the falling edge
/// Errors   std::runtime_error for a file that cannot be written
template <typename Model>
class TracedVerilated : private TracedContext, public Model {
 public:
  explicit TracedVerilated(TraceWindow window) : Model(&context), window_(std::move(window)) {
    this->trace(&file_, 99);
    file_.open(window_.file.c_str());
    if (!file_.isOpen()) {
      throw std::runtime_error(fmt::format("{}: the trace cannot be written", window_.file));
    }
  }
  ~TracedVerilated() override { file_.close(); }

  /// Delays the falling edge until the inputs arrive with the next rising edge.
  void eval() {
    if (this->clk_i == 0) return;
    this->clk_i = 0;
    Model::eval();
    dump(2 * clock_ + 1);
    this->clk_i = 1;
    Model::eval();
    if (this->rst_ni != 0) ++clock_;
    dump(2 * clock_);
  }

 private:
  void dump(std::uint64_t time) {
    if (clock_ > window_.last) file_.close();
    if (this->rst_ni == 0 || clock_ < window_.first || !file_.isOpen()) return;
    while (gap_ < window_.gaps.size() && clock_ > window_.gaps[gap_].last) ++gap_;
    if (gap_ < window_.gaps.size() && clock_ >= window_.gaps[gap_].first) return;
    file_.dump(time);
  }

  TraceWindow window_;
  std::size_t gap_ = 0;  ///< the first gap that has not ended
  VerilatedFstC file_;
  std::uint64_t clock_ = 0;
};

}  // namespace systole::sim
