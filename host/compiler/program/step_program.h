#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "host/compiler/program/memory_plan.h"
#include "host/compiler/program/step_builder.h"
#include "host/compiler/program/table.h"
#include "host/device/memory.h"
#include "host/device/program_device.h"

namespace systole::lowering {

/// The graph of a training step as a program of a device, for launches of up to `most_steps` steps.
///
/// The ring has every step's commands. Steps are planned a block at a time, so that they overlap; a
/// fence ends each block, and the blocks differ in the addresses of batches, tables and results.
///
/// Units   tensors are dense and row-major; elements of the batch and of outputs take four bytes,
/// as
///         graph::CpuProgram's do
/// Limits  the memory must outlive it; one thread at a time
/// Errors  graph::GraphError for a graph that the device cannot run, std::invalid_argument for
///         names and sizes that are not the graph's, MemoryFull
class StepProgram {
 public:
  struct Options {
    DeviceSizes sizes = {};
    std::int64_t most_steps = 1;
    std::set<std::string> resident = {};  ///< inputs that stay on the device without an update
    std::optional<Quantization> quantization = {};  ///< products in int8; none: in bf16
    int core = 0;  ///< the number of the core that runs it, where cores add their values
    /// An optimizer's memory, of which each such core may keep a part alone (lower_graph).
    std::set<std::string> slots = {};
    /// Of a core without rows, the graph of one with rows, which shares the same updates.
    const graph::Graph* with_rows = nullptr;
    /// Device memory limit in bytes; 0 means none.
    std::int64_t most_bytes = 0;
    /// Remembers what takes longest to find: how products are tiled.
    DiskCache disk{DiskCache::users_folder()};
  };
  StepProgram(const graph::Graph& graph, Memory& memory, const Options& options);
  StepProgram(const StepProgram&) = delete;
  StepProgram& operator=(const StepProgram&) = delete;

  /// Parameters and optimizers' memory, by the input's name.
  void write_state(const std::string& input, std::span<const float> values);
  void read_state(const std::string& input, std::span<float> values) const;
  /// The columns of a state that are this core's, where cores share it: others there are old.
  SharedColumns shared(const std::string& input) const;

  /// What the host gives a step, as it lies in device memory: batch, random tensors and table, one
  /// block. Any thread may fill one while the device runs, as long as no other thread does.
  using Feed = std::vector<std::byte>;
  Feed make_feed() const { return Feed(static_cast<std::size_t>(plan_.fed_bytes)); }

  /// An input of the batch, `count` elements.
  void set_batch(Feed& feed, const std::string& input, const void* values,
                 std::int64_t count) const;
  /// Random tensors, and the table of scalars, which follow from host scalars.
  void set_random(Feed& feed, const std::map<std::string, double>& values) const;
  void set_scalars(Feed& feed, const std::map<std::string, double>& values) const;

  /// Copies it to step `step` of the next execution.
  void write(std::int64_t step, const Feed& feed);

  /// As set_batch, straight into the memory of the first step.
  void write_batch(const std::string& input, const void* values, std::int64_t count);
  /// The same in bf16, which `fill` writes.
  ///
  /// Limits   the device has the input in bf16 alone
  using FillRounded = std::function<void(std::span<std::uint16_t> words)>;
  void write_rounded(const std::string& input, const FillRounded& fill);
  bool is_rounded(const std::string& input) const;

  /// The program of the first `steps` steps, which takes the ring until the next call.
  PlacedProgram program(std::int64_t steps);

  /// An output of a step that has run, `count` elements. What updates a state is read there.
  void read_output(std::int64_t step, const std::string& output, void* values,
                   std::int64_t count) const;
  /// The same of f32 or i32, of the first step, where it lies in this process; else in `copy`.
  const float* read_words(const std::string& output, std::vector<float>& copy) const;
  /// A scalar of f32.
  float result(std::int64_t step, const std::string& output) const;

  const LoweredGraph& lowered() const { return lowered_; }
  const MemoryPlan& plan() const { return plan_; }
  std::int64_t most_steps() const { return options_.most_steps; }
  /// The commands of one step alone, and its clocks, estimated by the planner.
  const std::vector<device::CommandWord>& step_commands() const { return block_.at(1).commands; }
  std::int64_t estimated_clocks() const { return block_.at(1).estimated_clocks; }
  /// The longest time in which a link stands still in the program, likewise.
  std::int64_t longest_stretch() const { return longest_stretch_; }
  std::int64_t size_bytes() const { return plan_.bytes(options_.most_steps); }

  /// The clocks that each unit keeps the array or the lanes busy.
  const std::vector<std::int64_t>& costs() const { return builder_->costs(); }

 private:
  void append_block(std::int64_t first_step, std::int64_t steps);
  void write_constants();
  std::uint64_t at(std::int64_t offset) const { return base_ + static_cast<std::uint64_t>(offset); }
  int input(const std::string& name) const;
  /// Has `fill` write `bytes` bytes at an offset.
  using Fill = std::function<void(std::span<std::byte> to)>;
  using Sink = std::function<void(std::int64_t offset, std::size_t bytes, const Fill& fill)>;
  void put_value(int value, std::span<const std::byte> words, const Sink& sink) const;
  void get_value(int value, std::int64_t step, std::span<std::byte> words) const;
  Sink into(Feed& feed) const;
  Sink into_memory();
  int batch_input(const std::string& name, std::int64_t count) const;
  int result_of(const std::string& output) const;
  std::int64_t products_of_step() const;
  bool meets_neighbours() const;
  std::uint32_t link_patience() const;

  LoweredGraph lowered_;
  MemoryPlan plan_;
  Table table_, random_;
  Memory& memory_;
  Options options_;
  MemoryBlock memory_block_, ring_;
  std::uint64_t base_ = 0;
  std::unique_ptr<StepBuilder> builder_;
  std::map<std::int64_t, StepBuilder::Steps> block_;  ///< by its number of steps
  std::int64_t steps_of_block_ = 1;
  std::vector<device::CommandWord> commands_;      ///< in the ring
  std::vector<ProgramUnit> units_;                 ///< likewise, what they compute
  std::int64_t steps_ = 0;                         ///< of `commands_`
  std::int64_t longest_stretch_ = 0;               ///< likewise, in which a link stands still
  std::map<std::int64_t, std::uint64_t> numbers_;  ///< of programs at `ring_`, by their steps
  std::size_t ring_commands_ = 0;                  ///< for which the ring has room
};

}  // namespace systole::lowering
