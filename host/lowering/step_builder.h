#pragma once

#include <vector>

#include "host/lowering/memory_plan.h"
#include "host/lowering/step_program.h"
#include "host/runtime/memory_uses.h"
#include "host/runtime/product_lowering.h"

namespace systole::lowering {

/// Turns the units of a step into commands: products by the planner of the runtime, kernels as
/// steps of the vector engine. Tokens follow from the memory that units read and write.
class StepBuilder {
 public:
  /// base: of the block of memory that `plan` lays out.
  StepBuilder(const LoweredGraph& lowered, const MemoryPlan& plan, std::uint64_t base,
              const DeviceSizes& sizes);

  StepProgram::Cost add_product(const Unit& unit);
  StepProgram::Cost add_kernel(const Unit& unit, std::uint64_t code);
  std::int64_t estimated_clocks() const { return lowering_.streams().times().clocks(); }
  std::vector<device::CommandWord> commands() const { return lowering_.streams().commands(); }
  std::uint64_t macs() const { return macs_; }  ///< of the products that were added

 private:
  Product product_of(const MatrixMatch& match) const;
  std::uint64_t address(int value, Format format) const;

  const LoweredGraph& lowered_;
  const MemoryPlan& plan_;
  std::uint64_t base_;
  DeviceSizes sizes_;
  MemoryUses uses_;
  ProductLowering lowering_;
  std::vector<BlockPlan> plans_;  ///< of the products, in order
  std::size_t next_plan_ = 0;
  std::uint64_t macs_ = 0;
};

/// Adds `shift` to the address of a command that has one in [first, first + bytes).
void move_address(device::CommandWord& command, std::uint64_t first, std::int64_t bytes,
                  std::int64_t shift);

}  // namespace systole::lowering
