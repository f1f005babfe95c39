#pragma once

#include <Vprocessing_element.h>
#include <verilated.h>

#include <array>
#include <cstdint>
#include <optional>

#include "hls/kernels/mac.h"
#include "tests/support/arithmetic_cases.h"

namespace systole::tests {

/// The multiply-add of the generated RTL, one a clock, inside the processing element that holds it:
/// a case's weight enters first, its operand a clock later, its sum another clock later. Planes
/// alternate, so that every case brings a weight of its own.
///
/// Timing   push() is one rising edge; a case's result comes back kLatency pushes later
class RtlMac {
 public:
  static constexpr int kLatency = 2 + kernels::kMacStages;

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
    const auto at = [&](int ago) -> const Case& {
      return recent_[static_cast<std::size_t>((clock_ - ago) % kRemembered)];
    };
    recent_[static_cast<std::size_t>(clock_ % kRemembered)] = next;
    model_.weight_value_i = next.operands.weight;
    model_.weight_hops_i = 0;
    model_.weight_plane_i = static_cast<std::uint8_t>(clock_ % 2);
    model_.weight_valid_i = 1;
    if (clock_ >= 1) {
      model_.operand_activation_i = at(1).operands.activation;
      model_.operand_plane_i = static_cast<std::uint8_t>((clock_ - 1) % 2);
      model_.operand_is_int8_i = at(1).is_int8;
    }
    if (clock_ >= 2) model_.sum_i = at(2).operands.sum;
    model_.clk_i = 0;
    model_.eval();
    std::optional<Result> result;
    if (clock_ >= kLatency) result = Result{at(kLatency), model_.sum_o};
    model_.clk_i = 1;
    model_.eval();
    ++clock_;
    return result;
  }

 private:
  static constexpr int kRemembered = kLatency + 1;
  VerilatedContext context_;
  Vprocessing_element model_;
  std::array<Case, kRemembered> recent_{};
  std::int64_t clock_ = 0;
};

}  // namespace systole::tests
