#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/device/device_map.h"
#include "host/device/product.h"
#include "sim/model/block_kernels.h"
#include "sim/model/panels.h"

namespace systole {

/// Where a product's sums start, and how they are converted on their way into C.
///
/// Shapes   start [rows, cols], or [cols] with start_stride 0 for a bias; mask [rows, cols]; c
///          [rows, cols] in the format's elements
/// Limits   mask_type bf16 or int8; any format except the stochastic one, whose bits depend on the
///          order in which a program stores its rows
/// Numbers  docs/numerics.md: ReLU, then the mask, then the format
struct SumsPath {
  const std::byte* start = nullptr;  ///< 32-bit sums; null to start from zero
  std::int64_t start_stride = 0;     ///< elements from row to row
  bool relu = false;
  const std::byte* mask = nullptr;
  DataType mask_type = DataType::kBf16;
  device::StoreFormat format = device::StoreFormat::kWord32;
  std::uint16_t scale = 0;
  std::uint8_t shift = 0;
  std::byte* c = nullptr;
};

/// The device's matrix product at the speed of the CPU's vector unit: its bits, not its clocks.
///
/// Timing   operands are read in place; each thread packs its part of them into blocks of its own,
///          1 MiB in all
/// Numbers  docs/numerics.md for an array of N, whatever the kernels and the number of threads:
///          every element of C is computed by one thread, in the contract's order
/// Source   blocking as in Goto and van de Geijn, "Anatomy of high-performance matrix
///          multiplication", ACM TOMS 34 (2008)
class ModelMatmul {
 public:
  ModelMatmul(int array_size, int threads, const BlockKernels& kernels = *block_kernels().begin())
      : array_size_(array_size), threads_(threads), kernels_(kernels) {}

  /// Operands are laid out as `product` says; of it, sizes, type and transposes count.
  void multiply(const Product& product, const std::byte* a, const std::byte* b,
                const SumsPath& path);

  /// The plain product, added to C if `product` accumulates.
  void operator()(const Product& product, std::span<const std::byte> a,
                  std::span<const std::byte> b, std::span<std::uint32_t> c);

 private:
  struct Workspace {
    WordBuffer a, b, offsets, sums, row;
  };

  int array_size_;
  int threads_;
  BlockKernels kernels_;
  std::vector<Workspace> workspaces_;  // one for each thread
};

}  // namespace systole
