#pragma once

#include <Vmultiply_add.h>
#include <verilated.h>

#include <array>
#include <cstdint>
#include <optional>

#include "hls/kernels/multiply_add.h"
#include "tests/support/arithmetic_cases.h"

namespace systole::tests {

/// The multiply-add of the generated RTL, one case a clock.
///
/// Timing   push() is one rising edge; a case's result comes back kLatency pushes later
class RtlMac {
 public:
  static constexpr int kLatency = kernels::MultiplyAdd::kLatency;

  struct Case {
    MacCase operands;
    bool is_int8 = false;
  };
  struct Result {
    Case from;
    std::uint32_t sum = 0;
  };

  RtlMac() : model_(&context_) {}

  std::optional<Result> push(const Case& next) {
    Case& slot = in_flight_[static_cast<std::size_t>(clock_ % kLatency)];
    model_.is_int8_i = next.is_int8;
    model_.activation_i = next.operands.activation;
    model_.weight_i = next.operands.weight;
    model_.sum_i = next.operands.sum;
    model_.clk_i = 0;
    model_.eval();
    std::optional<Result> result;
    if (clock_ >= kLatency) result = Result{slot, model_.result_o};
    slot = next;
    model_.clk_i = 1;
    model_.eval();
    ++clock_;
    return result;
  }

 private:
  std::int64_t clock_ = 0;
  std::array<Case, kLatency> in_flight_{};
  VerilatedContext context_;
  Vmultiply_add model_;
};

}  // namespace systole::tests
