#pragma once

#include <array>
#include <memory>

#include "host/graph/cpu/combine.h"
#include "host/graph/cpu/kernel.h"

namespace systole::graph {

/// Where a loop finds a value: `offset` + the sum of index * stride, in elements; a stride of 0
/// repeats it.
struct Access {
  int value = -1;
  std::int64_t offset = 0;
  Integers strides = {};
};

/// Elementwise operations over one shape, in one pass over blocks that stay in the cache: what lies
/// between two of them is never in memory. Sums over dimensions of the shape ride along.
///
/// Numbers  sums are cut into parts by size alone, so that they do not depend on threads
class FusedLoop {
 public:
  explicit FusedLoop(Shape shape);

  /// Each returns the slot that holds the value for later steps.
  int constant(std::uint32_t word);
  int read(const Access& access);
  /// written: the value that the results are kept as; -1 where nobody reads them later.
  int apply(Loop loop, Element element, const std::vector<int>& operands, int written);
  /// Keeps a slot as it is.
  void keep(int slot, int written);

  /// kept: the result's stride along each dimension of the shape, 0 along those summed over.
  void reduce(Combine combine, int slot, const Integers& kept, int written, float start);

  /// Plans blocks and parts; `in_place` is filled in.
  Kernel finish() &&;

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace systole::graph
