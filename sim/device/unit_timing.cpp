#include "sim/device/unit_timing.h"

#include <fmt/format.h>

#include <stdexcept>

#include "hls/kernels/matrix_unit.h"

namespace systole {
namespace {

template <int kN>
UnitTiming timing_of() {
  using Unit = kernels::MatrixUnit<kN, kernels::kDefaultBankRows>;
  return {.array_size = kN,
          .bank_rows = kernels::kDefaultBankRows,
          .array_cycles = Unit::kArrayCycles,
          .write_cycles = Unit::kWriteCycles,
          .loop_cycles = Unit::kLoopCycles,
          .read_cycles = Unit::kReadCycles};
}

}  // namespace

UnitTiming unit_timing(int array_size) {
  switch (array_size) {
    case 4:
      return timing_of<4>();
    case 8:
      return timing_of<8>();
    case 16:
      return timing_of<16>();
    case 32:
      return timing_of<32>();
    case 64:
      return timing_of<64>();
    case 128:
      return timing_of<128>();
    default:
      throw std::invalid_argument(
          fmt::format("no {0} x {0} array: N can be 4, 8, 16, 32, 64 or 128", array_size));
  }
}

}  // namespace systole
