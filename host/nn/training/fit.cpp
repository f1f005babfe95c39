// Sequential's fit, evaluate and predict.

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "host/nn/training/batches.h"
#include "host/nn/training/prefetcher.h"
#include "host/nn/training/sequential.h"
#include "host/nn/training/training_loop.h"

namespace systole::nn {
/// Adapts a Sequential and its data set to the training loop.
class Sequential::Fit : public Trainable {
 public:
  Fit(Sequential& model, const Dataset& data, const FitOptions& options)
      : model_(model),
        data_(data),
        options_(options),
        optimizer_(describe(model.compiled().optimizer)),
        batches_(data, options.batch_size, options.augmentation),
        prefetcher_(batches_, preparation(), batches_ahead()) {}

  std::int64_t batches() const override { return batches_.count(); }

  void begin_epoch(std::int64_t epoch, std::int64_t first, std::int64_t end) override {
    gather({.epoch = epoch, .first = first, .end = end, .update = model_.updates_ + 1 - first});
    next_batch_ = first;
  }

  std::vector<Step> train_some(std::int64_t most) override {
    // The last batch of an epoch may have fewer rows.
    const std::int64_t first = next_batch_, rows = rows_of(first), before = model_.updates_,
                       count = std::min(most, model_.replicas_.most_steps());
    std::vector<Step> steps;
    while (std::ssize(steps) < count && rows_of(next_batch_) == rows) {
      model_.replicas_.in_step_with_ranks([&] { prefetcher_.next(); });
      model_.add_step(std::any_cast<Replicas::Prepared>(std::move(prefetcher_.prepared())));
      steps.push_back({.score = {}, .samples = rows, .input_seconds = prefetcher_.seconds()});
      ++next_batch_;
    }
    const Gathered epoch = gathered_;
    // The device runs these while the next epoch's are gathered.
    if (next_batch_ == gathered_.end && gathered_.epoch < options_.epochs) {
      gather({.epoch = gathered_.epoch + 1, .end = gathered_.end, .update = model_.updates_ + 1});
    }
    const std::vector<Score> scores = model_.replicas_.run();
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i].score = scores[i];
    const auto failed =
        std::ranges::find_if(scores, [](const Score& score) { return !std::isfinite(score.loss); });
    if (failed != scores.end()) fail(*failed, epoch.epoch, first, before, failed - scores.begin());
    return steps;
  }

  bool can_validate() const override { return options_.validation_data != nullptr; }
  Score validate() override {
    return model_.evaluate(*options_.validation_data, {.batch_size = options_.batch_size});
  }

  std::vector<Parameter*> parameters() override { return model_.parameters(); }

  std::int64_t updates() const override { return model_.updates_; }
  void set_updates(std::int64_t updates) override { model_.updates_ = updates; }
  float learning_rate() const override { return model_.learning_rate(); }
  void set_learning_rate(float rate) override { model_.set_learning_rate(rate); }
  float step_rate() const override {
    return scheduled(model_.learning_rate(), model_.compiled().schedule, model_.updates_ - 1);
  }

  std::map<std::string, std::string> identity() const override {
    const std::optional<float> clip_norm = model_.compiled().clip_norm;
    std::map<std::string, std::string> run = options_.identity;
    run.merge(std::map<std::string, std::string>{
        {"data", data_.name},
        {"samples", fmt::format("{}", data_.size())},
        {"batch_size", fmt::format("{}", options_.batch_size)},
        {"seed", fmt::format("{}", options_.seed)},
        {"weight_seed", fmt::format("{}", model_.compiled().seed)},
        {"precision", std::string(to_string(model_.replicas_.master().settings().precision))},
        {"cores", fmt::format("{}", model_.replicas_.strategy().cores())},
        {"loss",
         std::visit([](const auto& loss) { return loss.describe(); }, model_.compiled().loss)},
        {"optimizer", optimizer_},
        {"schedule", describe(model_.compiled().schedule)},
        {"clip_norm", clip_norm ? fmt::format("{}", *clip_norm) : "none"},
        {"augmentation", options_.augmentation.describe()}});
    std::string layers;
    for (const Replica::Stage& stage : model_.stages()) {
      layers += fmt::format("{}{} {}", layers.empty() ? "" : ", ", stage.description,
                            to_string(stage.output_shape));
    }
    run["layers"] = layers;
    return run;
  }

 private:
  /// Batches first..end-1 of an epoch, and the update that its first batch would be.
  struct Gathered {
    std::int64_t epoch = 0, first = 0, end = 0, update = 1;
    bool operator==(const Gathered&) const = default;
  };
  /// Begins to gather them, unless that has begun.
  void gather(const Gathered& batches) {
    if (batches == gathered_) return;
    prefetcher_.stop();  // its thread reads what changes next
    gathered_ = batches;
    gathered_rate_ = model_.learning_rate();
    if (batches.first < batches.end) {
      for (const std::int64_t batch : {batches.first, batches.end - 1}) {
        model_.replicas_.need_programs(rows_of(batch));
      }
    }
    prefetcher_.begin(options_.seed, batches.epoch, batches.first, batches.end);
  }
  std::int64_t rows_of(std::int64_t batch) const {
    return std::min(options_.batch_size, data_.size() - batch * options_.batch_size);
  }
  // The next launch's, and one more to prepare while that is copied.
  std::size_t batches_ahead() const {
    return static_cast<std::size_t>(model_.replicas_.most_steps()) + 1;
  }
  Prefetcher::Prepare preparation() const {
    return [this](std::int64_t index, const Tensor& inputs, std::span<const std::int32_t> labels) {
      return model_.replicas_.prepare(inputs, labels,
                                      model_.scalars(gathered_.update + index, gathered_rate_));
    };
  }
  /// Step `step` of the launch that began with batch `first` after `updates` updates went wrong.
  void fail(const Score& score, std::int64_t epoch, std::int64_t first, std::int64_t updates,
            std::int64_t step) {
    prefetcher_.stop();
    batches_.shuffle(options_.seed, epoch);
    batches_.take(first + step);
    model_.need_finite(score, batches_.inputs(), batches_.labels(), updates + step + 1);
  }

  Sequential& model_;
  const Dataset& data_;
  const FitOptions& options_;
  std::string optimizer_;  ///< before any schedule
  std::int64_t next_batch_ = 0;
  Gathered gathered_;
  float gathered_rate_ = 0;  ///< a callback may change it before a batch's turn
  Batches batches_;
  Prefetcher prefetcher_;
};

void Sequential::need_fitting(const Dataset& data, std::int64_t batch_size) {
  if (batch_size < 1) {
    throw std::invalid_argument(fmt::format("batch_size is {}, not >= 1", batch_size));
  }
  if (data.size() < 1) throw std::invalid_argument("the data set is empty");
  if (data.inputs.size() != static_cast<std::size_t>(data.size()) *
                                static_cast<std::size_t>(size_of(data.sample_shape))) {
    throw std::invalid_argument(fmt::format("the data set has {} input values for {} samples of {}",
                                            data.inputs.size(), data.size(),
                                            to_string(data.sample_shape)));
  }
  systole::need_finite(data);
  need_built(data.sample_shape);
  const std::int64_t labels = labels_of(stages().back().output_shape).count;
  if (data.labels_per_sample != labels) {
    throw std::invalid_argument(fmt::format(
        "the data set has {} labels for a sample, and the model's outputs of {} take {}",
        data.labels_per_sample, to_string(stages().back().output_shape), labels));
  }
}

History Sequential::fit(const Dataset& data, const FitOptions& options) {
  need_fitting(data, options.batch_size);
  if (options.validation_data != nullptr) {
    need_fitting(*options.validation_data, options.batch_size);
  }
  Fit fit(*this, data, options);
  return train(fit, options);
}

Score Sequential::evaluate(const Dataset& data, const EvaluateOptions& options) {
  need_fitting(data, options.batch_size);
  Batches batches(data, options.batch_size);
  Score total;
  for (std::int64_t i = 0; i < batches.count(); ++i) {
    batches.take(i);
    const Score score = replicas_.evaluate(batches.inputs(), batches.labels());
    const auto rows = static_cast<double>(batches.inputs().rows);
    total.loss += score.loss * rows;
    total.accuracy += score.accuracy * rows;
  }
  const auto samples = static_cast<double>(data.size());
  const auto each = static_cast<double>(data.labels_per_sample);
  return {.loss = total.loss / samples,
          .accuracy = std::round(total.accuracy * each) / (samples * each)};
}

Tensor Sequential::predict(const Dataset& data, const EvaluateOptions& options) {
  need_fitting(data, options.batch_size);
  Batches batches(data, options.batch_size);
  Tensor all;
  for (std::int64_t i = 0; i < batches.count(); ++i) {
    batches.take(i);
    const Tensor& outputs = replicas_.forward(batches.inputs());
    if (i == 0) all.resize(data.size(), outputs.row_size);
    std::ranges::copy(outputs.values, all.row(i * options.batch_size).begin());
  }
  return all;
}

float Sequential::learning_rate() const {
  return std::visit([](const auto& optimizer) { return optimizer.learning_rate; },
                    compiled().optimizer);
}

void Sequential::set_learning_rate(float rate) {
  Optimizer changed = compiled().optimizer;
  std::visit(
      [rate](auto& optimizer) {
        optimizer.learning_rate = rate;
        optimizer.check();
      },
      changed);
  options_->optimizer = changed;
}

}  // namespace systole::nn
