#pragma once

#include <cstdint>
#include <vector>

#include "host/driver/product.h"
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
      : memory_(&memory), matmul_(array_size, threads) {}

  /// Whether run can compute it: all that it touches lies in memory, aligned to its elements.
  bool can_run(const Product& product) const;

  /// Limits   can_run
  void run(const Product& product);

 private:
  ProgramMemory* memory_;
  ModelMatmul matmul_;
  std::vector<std::byte> ones_;
};

/// A matrix in memory.
struct MemoryRange {
  std::uint64_t address = 0;
  std::int64_t size_bytes = 0;
};

/// The memory that a product writes: C and, if it has them, the column sums.
std::vector<MemoryRange> written_by(const Product& product);

}  // namespace systole
