#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/distribute/strategy.h"
#include "host/nn/losses/loss.h"
#include "host/nn/training/replica.h"
#include "host/nn/training/step_time.h"
#include "host/nn/training/updates.h"

namespace systole::nn {

/// A model on a strategy's cores: the first replica holds the master weights, the others copy them.
///
/// Numbers  a core's loss and gradients are means over its rows; the batch's are their sum,
///          weighted by rows, in the order of the cores. A layer's batch statistics, such as the
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

  /// Of a launch. Several cores launch single steps: the host sums their gradients.
  std::int64_t most_steps() const;
  /// Compiles each core's program for batches of `rows` samples.
  void need_programs(std::int64_t rows);

  /// A batch as it lies in the cores' memories.
  struct Prepared {
    std::int64_t rows = 0;
    StepScalars scalars;
    /// One for each local core; a core without rows has no feed.
    std::vector<CompiledTraining::Prepared> parts;
  };
  /// Prepares a step. Another thread may, one at a time, if its programs are compiled.
  Prepared prepare(const Tensor& inputs, std::span<const std::int32_t> labels,
                   const StepScalars& scalars) const;
  /// Adds a step to the next launch; `rate` is its learning rate now.
  void add(Prepared batch, float rate);
  /// Runs the steps that were added, updates included. A step of several cores whose loss is not
  /// finite updates nothing.
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

  Replica& master() { return replicas_.front(); }
  const Replica& master() const { return replicas_.front(); }
  const Strategy& strategy() const { return *strategy_; }
  const StepTime& time() const { return time_; }

  /// Products on the cpu, which no device counts.
  Counters processor_products() const;

  /// Wall time of copies and launches on the busiest thread.
  double device_wall_seconds() const;

 private:
  struct Report;

  bool is_alone() const { return strategy_->cores() == 1; }
  CompiledTraining& steps_of(std::size_t core) const;
  void need_labels_of(const Tensor& inputs, std::span<const std::int32_t> labels) const;
  Replica::Batch part_of(std::size_t core, const Tensor& inputs,
                         std::span<const std::int32_t> labels, const StepScalars& scalars) const;
  std::vector<CompiledTraining::Prepared> parts_of(
      const std::function<const CompiledTraining&(std::size_t core)>& steps, const Tensor& inputs,
      std::span<const std::int32_t> labels, const StepScalars& scalars) const;
  void follow_master();
  /// Runs on each core that has rows, and gathers all cores' reports.
  std::vector<Report> run_cores(std::int64_t rows,
                                const std::function<Score(std::size_t core)>& work);
  Score run_gradients(Prepared batch);
  void count_step(std::span<const Report> reports);
  static Score mean_of(std::span<const Report> reports, std::int64_t rows);
  void sum_over_cores(std::int64_t rows);

  std::shared_ptr<const std::vector<Layer>> layers_;
  std::vector<Replica> replicas_;
  std::optional<Strategy> strategy_;
  Prepared next_;  ///< of several cores
  Updates updates_of_;
  Tensor outputs_;
  StepTime time_;
};

}  // namespace systole::nn
