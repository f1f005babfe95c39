#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "hls/kernels/matrix_unit.h"
#include "sim/device/beat.h"

namespace systole {

/// A Verilated matrix unit as a SimulatedUnit: one tick is one rising edge of clk_i.
///
/// Shapes   Verilator keeps a port wider than 64 bits as 32-bit words, lowest first, and a narrower
///          one as an integer; on a little-endian host both are N lanes in memory, lane 0 first, so
///          that a beat is copied as it lies
/// Timing   outputs are read before the edge, as the native unit returns them
template <typename Model, int kSize>
class VerilatedUnit {
  static_assert(std::endian::native == std::endian::little);

 public:
  static constexpr int kN = kSize;
  static constexpr int kBankRows = kernels::kDefaultBankRows;

  explicit VerilatedUnit(std::unique_ptr<Model> model) : model_(std::move(model)) {}

  void reset() {
    model_->rst_ni = 0;
    for (int edge = 0; edge < 2; ++edge) tick({});
    model_->rst_ni = 1;
  }

  bool tick(const Beat& beat) {
    Model& model = *model_;
    model.row_valid_i = beat.activation != nullptr;
    if (beat.activation != nullptr) {
      copy(model.activation_i, beat.activation);
      model.plane_i = beat.plane;
      model.is_int8_i = beat.is_int8;
      model.row_i = beat.row;
      model.accumulate_i = beat.accumulate;
    }
    model.weight_valid_i = beat.weight != nullptr;
    if (beat.weight != nullptr) {
      copy(model.weight_i, beat.weight);
      model.weight_column_i = beat.weight_column;
      model.weight_plane_i = beat.weight_plane;
    }
    model.preload_valid_i = beat.preload != nullptr;
    if (beat.preload != nullptr) {
      copy(model.preload_i, beat.preload);
      model.preload_row_i = beat.preload_row;
    }
    model.read_valid_i = beat.read_valid;
    if (beat.read_valid) model.read_row_i = beat.read_row;

    model.clk_i = 0;
    model.eval();
    const bool returned = model.result_valid_o;
    if (returned) std::memcpy(result_, &model.result_o, sizeof result_);
    model.clk_i = 1;
    model.eval();
    return returned;
  }

  const std::uint32_t* result() const { return result_; }

 private:
  /// A port's N lanes, as wide as the port is.
  template <typename Port, typename Lane>
  static void copy(Port& port, const Lane* lanes) {
    static_assert(sizeof(Port) == kN * sizeof(Lane), "the port's width is not N lanes");
    std::memcpy(&port, lanes, sizeof(Port));
  }

  std::unique_ptr<Model> model_;
  std::uint32_t result_[kN] = {};
};

}  // namespace systole
