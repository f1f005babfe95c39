#pragma once

#include <memory>
#include <utility>

#include "sim/device/harness.h"
#include "sim/device/simulated_backend.h"
#include "sim/device/unit_timing.h"

namespace systole {

/// A backend that computes every product on one simulated matrix unit, clock by clock.
///
/// Timing   one host thread; counters are the edges that the unit saw
/// Errors   execute throws what run_product throws, and resets the unit before it does
template <SimulatedUnit Unit>
class UnitBackend final : public SimulatedBackend {
 public:
  UnitBackend(DeviceInfo info, std::unique_ptr<Unit> unit)
      : SimulatedBackend(std::move(info)), unit_(std::move(unit)) {
    unit_->reset();
  }

 protected:
  Counters multiply(const Matmul& product, std::span<const std::byte> a,
                    std::span<const std::byte> b, std::span<std::uint32_t> c) override {
    const UnitTiming timing = unit_timing(Unit::kN);
    const Tiling tiling(product.rows, product.depth, product.cols, Unit::kN, Unit::kBankRows);
    const PackedOperands operands(product, tiling, a, b);
    Sequencer sequencer(
        tiling, timing, operands, c,
        {.is_int8 = product.type == DataType::kInt8, .accumulate = product.accumulate});
    try {
      return run_product(*unit_, sequencer, timing);
    } catch (const DeviceError&) {
      unit_->reset();
      throw;
    }
  }

 private:
  std::unique_ptr<Unit> unit_;
};

}  // namespace systole
