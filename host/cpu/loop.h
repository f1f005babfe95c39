#pragma once

#include <memory>

#include "host/cpu/combine.h"
#include "host/cpu/kernel.h"

namespace systole::graph {

/// A loop's access to a value: `offset` + the sum of index * stride, in elements; a stride of 0
/// repeats it.
struct Access {
  int value = -1;
  std::int64_t offset = 0;
  Integers strides = {};
};

/// Elementwise operations over one shape in one pass over cache-sized blocks: intermediate values
/// never reach memory. Sums over dimensions of the shape are part of the pass.
///
/// Numbers  sums are cut into parts by size alone, so they do not depend on threads
class FusedLoop {
 public:
  explicit FusedLoop(Shape shape);

  /// Each returns the slot that holds the value.
  int constant(std::uint32_t word);
  int read(const Access& access);
  /// written: the value that stores the results; -1 if only this loop reads them.
  int apply(Loop loop, Element element, const std::vector<int>& operands, int written);
  /// Stores a slot.
  void keep(int slot, int written);

  /// kept: the result's stride along each dimension of the shape, 0 along summed ones.
  void reduce(Combine combine, int slot, const Integers& kept, int written, float start);

  /// Plans blocks and parts, and fills in `in_place`.
  Kernel finish() &&;

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace systole::graph
