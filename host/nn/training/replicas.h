#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "host/distribute/strategy.h"
#include "host/nn/losses/loss.h"
#include "host/nn/training/replica.h"
#include "host/nn/training/step_time.h"
#include "host/nn/training/update_steps.h"
#include "systole/support/stopwatch.h"

namespace systole::nn {

/// A model on a strategy's cores. Cores with links run a step together: one program each sums loss
/// and gradients over the cores and updates the core's own weights, with the same bits on all.
/// Without links the host sums what cores left, and each rank updates the weights of its first
/// replica, the master, which the others copy.
///
/// Numbers  a core's loss and gradients are means over its rows; the batch's are their sum,
///          weighted by rows, in the order of the cores, in fp32: the same bits either way. A
///          layer's batch statistics, such as the
///          mean of BatchNormalization, cover its core's rows, as in Keras; its moving averages are
///          then averaged over the cores in the same way. A single core gives exactly the results
///          of a model without a strategy
/// Errors   rethrows what a core throws, after telling the other ranks; RankError for theirs
class Replicas {
 public:
  explicit Replicas(const std::vector<Layer>& layers);

  /// Random rounding depends on the seed and the core. The settings' device is the strategy's.
  void open(Strategy strategy, Replica::Settings settings);
  void build(const Shape& input_shape, std::uint64_t seed);

  /// Of a launch. Cores whose gradients the host sums launch single steps.
  std::int64_t most_steps() const;
  /// Compiles each core's program for batches of `rows` samples.
  void need_programs(std::int64_t rows);

  /// A batch as it lies in the cores' memories.
  struct Prepared {
    std::int64_t rows = 0;
    StepScalars scalars;
    /// One for each local core; one without rows has no feed, unless cores run together.
    std::vector<CompiledTraining::Prepared> parts;
  };
  /// Prepares a step. Another thread may, one at a time, if its programs are compiled.
  Prepared prepare(const Tensor& inputs, std::span<const std::int32_t> labels,
                   const StepScalars& scalars) const;
  /// Adds a step to the next launch; `rate` is its learning rate now.
  void add(Prepared batch, float rate);
  /// Runs the steps that were added, updates included. Where the host sums, a step whose loss is
  /// not finite updates nothing.
  std::vector<Score> run();

  /// Computes the gradients of the master's parameters, on every rank.
  Score gradients(const Tensor& inputs, std::span<const std::int32_t> labels,
                  const StepScalars& scalars);
  Score evaluate(const Tensor& inputs, std::span<const std::int32_t> labels);
  /// The whole batch's outputs, on every rank.
  const Tensor& forward(const Tensor& inputs);

  /// Where this rank's part of a step goes wrong with the host's parameters; see
  /// Replica::first_not_finite. What steps left on the devices is dropped.
  std::string first_not_finite(const Tensor& inputs, std::span<const std::int32_t> labels,
                               const StepScalars& scalars);

  /// Runs `work`; if it throws, tells the other ranks, which would otherwise wait for this one.
  template <typename Work>
  decltype(auto) in_step_with_ranks(const Work& work) {
    try {
      return work();
    } catch (const std::exception& error) {
      strategy_->ranks().leave(error.what());
      throw;
    }
  }

  /// Brings the master's parameters up to date on the host. After steps, all ranks call it.
  ///
  /// Errors   DeviceError if the weights of cores that run together differ
  void read_back() const;

  Replica& master() { return replicas_.front(); }
  const Replica& master() const { return replicas_.front(); }
  const Strategy& strategy() const { return *strategy_; }
  const StepTime& time() const { return time_; }

  /// Products on the cpu, which no device counts.
  Counters processor_products() const;

  /// Wall time of copies and launches on the busiest thread.
  double device_wall_seconds() const;

 private:
  struct Used;
  struct Report;

  bool is_alone() const { return strategy_->cores() == 1; }
  /// Whether one program a core has the whole step in it.
  bool runs_together() const { return strategy_->links() != nullptr; }
  CompiledTraining& steps_of(std::size_t core) const;
  void need_labels_of(const Tensor& inputs, std::span<const std::int32_t> labels) const;
  Replica::Batch part_of(std::size_t core, const Tensor& inputs,
                         std::span<const std::int32_t> labels, const StepScalars& scalars) const;
  std::vector<CompiledTraining::Prepared> parts_of(
      bool together, const std::function<const CompiledTraining&(std::size_t core)>& steps,
      const Tensor& inputs, std::span<const std::int32_t> labels, const StepScalars& scalars) const;
  void follow_master();
  void gather_shared() const;
  void need_equal_ranks() const;
  /// Runs on each core that has rows, and gathers all cores' reports.
  std::vector<Report> run_cores(std::int64_t rows,
                                const std::function<Score(std::size_t core)>& work);
  Score run_gradients(Prepared batch);
  std::vector<Score> run_alone();
  std::vector<Score> run_together();
  std::vector<std::vector<device::CommandWord>> of_all_ranks(
      const std::vector<std::vector<device::CommandWord>>& own) const;
  /// Checks, before programs first run, that no core waits for another forever.
  void need_one_order(std::span<const PlacedProgram> programs);
  Score run_apart();
  void count(std::int64_t steps, std::span<const Used> all);
  void count_launch(std::int64_t steps, std::span<const Counters> before);
  static Score mean_of(std::span<const Report> reports, std::int64_t rows);
  static Score sum_of(std::span<const Report> reports, std::int64_t rows);
  void sum_over_cores(std::int64_t rows);

  std::shared_ptr<const std::vector<Layer>> layers_;
  std::vector<Replica> replicas_;
  std::optional<Strategy> strategy_;
  Prepared next_;  ///< of cores that do not run together
  UpdateSteps updates_of_;
  Tensor outputs_;
  StepTime time_;
  Stopwatch together_;                            ///< launches of all cores
  std::set<std::vector<std::uint64_t>> ordered_;  ///< numbers of programs that meet in one order
};

}  // namespace systole::nn
