#include <Vfifo_13x3.h>
#include <Vfifo_1x5.h>
#include <Vfifo_64x4.h>
#include <Vfifo_8x1.h>
#include <Vfifo_8x2.h>
#include <Vfifo_96x16.h>
#include <Vmatrix_unit_models.h>
#include <Vram_128x16.h>
#include <Vram_1x2.h>
#include <Vram_37x64.h>
#include <Vregister_slice_1.h>
#include <Vregister_slice_96.h>
#include <Vsystolic_array_models.h>

#include "tests/rtl/kernels/accumulate_add.h"
#include "tests/rtl/kernels/accumulators.h"
#include "tests/rtl/kernels/matrix_unit.h"
#include "tests/rtl/kernels/multiply_add.h"
#include "tests/rtl/kernels/processing_element.h"
#include "tests/rtl/kernels/ram.h"
#include "tests/rtl/kernels/stream.h"
#include "tests/rtl/kernels/systolic_array.h"
#include "tests/rtl/lockstep_kernel.h"

namespace systole::tests {
namespace {

/// An edge of a larger array takes longer to simulate.
constexpr std::uint64_t edges_of_array(int size) {
  return size <= 4 ? 300'000 : 800'000 / static_cast<std::uint64_t>(size);
}

}  // namespace

std::vector<LockstepKernel> lockstep_kernels() {
  using Words = hls::Vec<hls::UInt32, 4>;
  using Three = hls::Vec<hls::UInt32, 3>;
  std::vector<LockstepKernel> kernels{
      lockstep_kernel<RamTop<Vram_128x16, Words, 16>>("ram_128x16", 100'000),
      lockstep_kernel<RamTop<Vram_37x64, hls::UInt<37>, 64>>("ram_37x64", 100'000),
      lockstep_kernel<RamTop<Vram_1x2, hls::UInt1, 2>>("ram_1x2", 100'000),
      lockstep_kernel<FifoTop<Vfifo_8x1, hls::UInt8, 1>>("fifo_8x1", 100'000),
      lockstep_kernel<FifoTop<Vfifo_8x2, hls::UInt8, 2>>("fifo_8x2", 100'000),
      lockstep_kernel<FifoTop<Vfifo_13x3, hls::UInt<13>, 3>>("fifo_13x3", 100'000),
      lockstep_kernel<FifoTop<Vfifo_64x4, hls::UInt<64>, 4>>("fifo_64x4", 100'000),
      lockstep_kernel<FifoTop<Vfifo_1x5, hls::UInt1, 5>>("fifo_1x5", 100'000),
      lockstep_kernel<FifoTop<Vfifo_96x16, Three, 16>>("fifo_96x16", 100'000),
      lockstep_kernel<SliceTop<Vregister_slice_1, hls::UInt1>>("register_slice_1", 100'000),
      lockstep_kernel<SliceTop<Vregister_slice_96, Three>>("register_slice_96", 100'000),
      lockstep_kernel<MultiplyAddTop>("multiply_add", 1'000'000),
      lockstep_kernel<AccumulateAddTop>("accumulate_add", 1'000'000),
      lockstep_kernel<ProcessingElementTop<>>("processing_element", 1'000'000),
      lockstep_kernel<AccumulatorsTop>("accumulators_4x16", 500'000),
  };
  sim::systolic_array_models::for_each([&]<typename Built>() {
    kernels.push_back(lockstep_kernel<SystolicArrayTop<typename Built::Model, Built::kN>>(
        fmt::format("systolic_array_{}", Built::kN), edges_of_array(Built::kN)));
  });
  sim::matrix_unit_models::for_each([&]<typename Built>() {
    kernels.push_back(lockstep_kernel<MatrixUnitTop<typename Built::Model, Built::kN>>(
        fmt::format("matrix_unit_{}", Built::kN), edges_of_array(Built::kN)));
  });
  return kernels;
}

}  // namespace systole::tests
