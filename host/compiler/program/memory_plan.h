#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "host/compiler/units/lowered_graph.h"
#include "host/device/device_sizes.h"

namespace systole::lowering {

/// Where a step's tensors lie in one block of device memory, dense and row-major.
///
///     state | programs | work | step 0: batch, table, results | step 1 | ...
///
/// Parameters and optimizers' memory stay in `state`, and their next values take their place; so do
/// the graph's constant tensors. Work
/// is shared by values that are not needed at the same time; what an update reads is needed all the
/// time, as the next step may have begun by then. Each step of an execution has its own
/// batch, table of scalars and results.
///
/// Units   bytes from the start of the block, multiples of 64; -1 for none. Each tensor has room
///         after it for the words that a kernel reads and writes past its end
struct MemoryPlan {
  struct Place {
    std::array<std::int64_t, kAllFormats.size()> formats;
    Place() { formats.fill(-1); }
    std::int64_t of(Format format) const { return formats[static_cast<std::size_t>(format)]; }
    std::int64_t& of(Format format) { return formats[static_cast<std::size_t>(format)]; }
  };
  std::vector<Place> places;  ///< by value; batch and results are those of step 0
  std::int64_t ones = -1;     ///< in the state: Product::ones
  std::int64_t table = -1;    ///< of step 0: a word for each of LoweredGraph::table
  std::int64_t state_bytes = 0, program_bytes = 0, work_bytes = 0, step_bytes = 0;
  std::int64_t fed_bytes = 0;  ///< of a step's, from its start: batch, random tensors and table

  std::int64_t programs() const { return state_bytes; }
  std::int64_t work() const { return state_bytes + program_bytes; }
  std::int64_t step() const { return work() + work_bytes; }
  std::int64_t bytes(std::int64_t steps) const { return step() + steps * step_bytes; }
};
MemoryPlan plan_memory(const LoweredGraph& lowered, const DeviceSizes& sizes);

/// Bytes of a section's instructions and constants.
std::int64_t code_bytes(const Section& section);
std::int64_t constant_bytes(const Section& section);

}  // namespace systole::lowering
