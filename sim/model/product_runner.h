#pragma once

#include <cstdint>
#include <vector>

#include "host/device/memory_range.h"
#include "host/device/program_device.h"
#include "sim/device/program_interpreter.h"
#include "sim/model/model_matmul.h"

namespace systole {

/// Computes the effect of a program's product on memory, whole rather than tile by tile.
///
/// Limits   any product except one stored with stochastic rounding, whose random numbers depend on
///          the order of its rows
/// Timing   that of ModelMatmul, on its threads
/// Numbers  docs/numerics.md: the bits of a program built from the product
class ProductRunner {
 public:
  ProductRunner(int array_size, int threads, ProgramMemory& memory)
      : array_size_(array_size),
        threads_(threads),
        memory_(&memory),
        matmul_(array_size, threads) {}

  /// Whether run can compute it: all that it touches lies in memory, aligned to its elements.
  bool can_run(const ProductUnit& unit) const;

  /// Limits   can_run
  void run(const ProductUnit& unit);

 private:
  const std::byte* start_of(const Product& product);
  void run_patches(const ProductUnit& unit, const SumsPath& path);
  void add_column_sums(const Product& product, Product shape, const std::byte* b, bool goes_on);
  const std::byte* padded_stretches(const std::byte* from, std::int64_t count, std::int64_t bytes,
                                    std::int64_t padded);

  std::int64_t array_size_;
  int threads_;
  ProgramMemory* memory_;
  ModelMatmul matmul_;
  std::vector<std::byte> ones_, patches_, padded_;
  std::vector<std::uint32_t> bias_, sums_;
};

/// The memory that a product writes: C and, if it has them, the column sums.
std::vector<MemoryRange> written_by(const Product& product);

}  // namespace systole
