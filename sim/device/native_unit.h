#pragma once

#include "hls/kernels/matrix_unit.h"
#include "sim/device/beat.h"

namespace systole {

/// The HLS C++ of the matrix unit, run natively: a SimulatedUnit beside the Verilated ones.
template <int kSize>
class NativeUnit {
 public:
  static constexpr int kN = kSize;
  static constexpr int kBankRows = kernels::kDefaultBankRows;

  void reset() { unit_.reset(); }

  bool tick(const Beat& beat) {
    using hls::UInt1;
    using Row = typename Unit::Row;
    in_.row_valid = UInt1::from(beat.activation != nullptr);
    in_.weight_valid = UInt1::from(beat.weight != nullptr);
    in_.preload_valid = UInt1::from(beat.preload != nullptr);
    in_.read_valid = UInt1::from(beat.read_valid);
    if (beat.activation != nullptr) {
      for (int k = 0; k < kN; ++k) in_.activation[k] = hls::UInt16::from(beat.activation[k]);
      in_.plane = UInt1::from(beat.plane);
      in_.is_int8 = UInt1::from(beat.is_int8);
      in_.row = Row::from(beat.row);
      in_.accumulate = UInt1::from(beat.accumulate);
    }
    if (beat.weight != nullptr) {
      for (int k = 0; k < kN; ++k) in_.weight[k] = hls::UInt16::from(beat.weight[k]);
      in_.weight_column = hls::UInt<kernels::kHopBits>::from(beat.weight_column);
      in_.weight_plane = UInt1::from(beat.weight_plane);
    }
    if (beat.preload != nullptr) {
      for (int n = 0; n < kN; ++n) in_.preload[n] = hls::UInt32::from(beat.preload[n]);
      in_.preload_row = Row::from(beat.preload_row);
    }
    if (beat.read_valid) in_.read_row = Row::from(beat.read_row);

    const auto out = unit_.clock(in_);
    if (!out.result_valid) return false;
    for (int n = 0; n < kN; ++n) {
      result_[n] = static_cast<std::uint32_t>(out.result[n].value());
    }
    return true;
  }

  const std::uint32_t* result() const { return result_; }

 private:
  using Unit = kernels::MatrixUnit<kN, kBankRows>;
  Unit unit_;
  typename Unit::Inputs in_;
  std::uint32_t result_[kN] = {};
};

}  // namespace systole
