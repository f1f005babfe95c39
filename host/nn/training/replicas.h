#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/distribute/strategy.h"
#include "host/nn/losses/loss.h"
#include "host/nn/training/replica.h"
#include "host/nn/training/step_time.h"

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

  /// Random rounding depends on the seed and the core.
  void open(Strategy strategy, DataType precision, std::uint64_t seed);
  void build(const Shape& input_shape, std::uint64_t seed);

  /// The whole batch's outputs, on every rank.
  const Tensor& forward(const Tensor& inputs);

  /// Computes the gradients of the master's parameters, on every rank; step: updates so far.
  Score gradients(const Tensor& inputs, std::span<const std::int32_t> labels, const Loss& loss,
                  std::int64_t step);

  /// From now on, gradients() is one program for each core, and a second part on the host: the sum.
  void run_gradients_whole(const Loss& loss) {
    for (Replica& replica : replicas_) replica.run_gradients_whole(loss);
  }

  /// The first core's, which holds the master weights.
  Replica& only() { return replicas_.front(); }
  /// Counts whole steps that a single core ran, and the bytes that each was fed.
  void count_steps(std::int64_t steps, std::uint64_t cycles, std::int64_t fed_bytes);

  /// Where this rank's part of the last step went wrong; see Replica::first_not_finite.
  std::string first_not_finite(const Tensor& inputs, std::span<const std::int32_t> labels,
                               const Loss& loss, std::int64_t step);

  const Replica& master() const { return replicas_.front(); }
  const Strategy& strategy() const { return *strategy_; }
  const StepTime& time() const { return time_; }

  /// fp32 products on the cpu, which no device counts.
  Counters processor_products() const;

  /// Wall time of copies and products on the busiest thread.
  double device_wall_seconds() const;

 private:
  struct Report;

  Replica::Batch part_of(int core, const Tensor& inputs, std::span<const std::int32_t> labels,
                         std::int64_t step);
  const Tensor& rows_of(int core, const Tensor& inputs, const RowRange& rows);
  void follow_master();
  Score merge(std::span<const Report> reports, std::int64_t rows);
  void sum_over_cores(std::int64_t rows);
  template <typename Work>
  decltype(auto) in_step_with_ranks(const Work& work);

  std::shared_ptr<const std::vector<Layer>> layers_;
  std::vector<Replica> replicas_;
  std::optional<Strategy> strategy_;
  std::vector<Tensor> inputs_;  ///< each core's rows, where there are several
  Tensor outputs_;
  StepTime time_;
};

}  // namespace systole::nn
