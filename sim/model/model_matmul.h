#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "host/driver/matmul.h"
#include "sim/model/block_kernels.h"
#include "sim/model/panels.h"

namespace systole {

/// The device's matrix product at the speed of the CPU's vector unit: its bits, not its clocks.
///
/// Numbers  docs/numerics.md for an array of N, whatever the kernels and the number of threads:
///          every element of C is computed by one thread, in the contract's order
/// Source   blocking as in Goto and van de Geijn, "Anatomy of high-performance matrix
///          multiplication", ACM TOMS 34 (2008)
class ModelMatmul {
 public:
  ModelMatmul(int array_size, int threads, const BlockKernels& kernels = *block_kernels().begin())
      : array_size_(array_size), threads_(threads), kernels_(kernels) {}

  void operator()(const Matmul& product, std::span<const std::byte> a, std::span<const std::byte> b,
                  std::span<std::uint32_t> c);

 private:
  int array_size_;
  int threads_;
  BlockKernels kernels_;
  WordBuffer a_panels_, b_panels_;
};

}  // namespace systole
