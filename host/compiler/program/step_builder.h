#pragma once

#include <map>
#include <vector>

#include "host/compiler/program/kernel_commands.h"
#include "host/compiler/program/memory_plan.h"
#include "host/compiler/schedule/block_plan.h"
#include "host/compiler/schedule/engine_streams.h"
#include "host/device/disk_cache.h"
#include "host/device/program_device.h"

namespace systole::lowering {

/// Turns the units of steps into commands: products by the planner of the runtime, kernels as steps
/// of the vector engine. Tokens follow from the memory that units read and write, also across
/// steps: a step begins while the one before updates its last parameters.
///
/// An update of a matrix that products read by groups of columns goes by these columns, and so does
/// the product that makes its gradient.
class StepBuilder {
 public:
  /// base: of the block of memory that `plan` lays out, from `programs` on each kernel's code.
  /// disk: remembers how products are tiled.
  ///
  /// Errors   std::invalid_argument for a product that no program can compute
  StepBuilder(const LoweredGraph& lowered, const MemoryPlan& plan, std::uint64_t base,
              const DeviceSizes& sizes, const DiskCache& disk);

  struct Steps {
    std::vector<device::CommandWord> commands;
    std::vector<ProgramUnit> units;  ///< what the commands compute, in order
    std::int64_t estimated_clocks = 0;
    std::int64_t longest_stretch = 0;  ///< KernelOrder's
  };
  /// The first `count` steps of an execution.
  Steps build(std::int64_t count) const;

  /// Clocks that each unit keeps the array or the lanes busy.
  const std::vector<std::int64_t>& costs() const { return costs_; }
  std::uint64_t macs() const { return macs_; }  ///< of a step

 private:
  class Schedule;

  /// Of a batch, the one of that number.
  Product product_of(const MatrixMatch& match, std::int64_t step, std::int64_t number = 0) const;
  KernelPlaces places_of(std::size_t unit, std::int64_t step) const;
  std::uint64_t at(std::int64_t offset, std::int64_t step) const;
  std::uint64_t address(int value, Format format, std::int64_t step) const {
    return at(plan_.places[value].of(format), step);
  }
  void find_columns();
  void find_shared(const std::map<int, std::vector<std::size_t>>& read_by,
                   const std::map<int, std::size_t>& made_by);
  bool fits(const std::vector<std::size_t>& products) const;
  /// The columns of a unit that cores share.
  ColumnParts block_of(std::size_t unit) const;
  std::vector<KernelPart> parts_of(std::size_t unit, std::int64_t step,
                                   const ColumnParts& columns) const;
  void go_by_columns(std::size_t unit, std::int64_t most_tiles);

  const LoweredGraph& lowered_;
  const MemoryPlan& plan_;
  std::uint64_t base_;
  DeviceSizes sizes_;
  std::vector<BlockPlan> plans_;       ///< by unit
  std::vector<std::int64_t> code_;     ///< by unit: its offset
  std::vector<std::int64_t> columns_;  ///< by unit: of a part of an update; 0: parts are rows
  std::vector<std::int64_t> costs_;    ///< by unit
  std::uint64_t macs_ = 0;
};

/// Memory [first, first + bytes) that steps have of their own, moved by `shift`.
struct Move {
  std::uint64_t first = 0;
  std::int64_t bytes = 0, shift = 0;

  std::uint64_t operator()(std::uint64_t address) const {
    return address < first || address >= first + static_cast<std::uint64_t>(bytes)
               ? address
               : address + static_cast<std::uint64_t>(shift);
  }
  device::CommandWord operator()(const device::CommandWord& command) const;
  ProgramUnit operator()(ProgramUnit unit) const;
};

}  // namespace systole::lowering
