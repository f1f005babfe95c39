// The training loop: Sequential::fit and evaluate.

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <stdexcept>

#include "host/nn/batches.h"
#include "host/nn/flush_subnormals.h"
#include "host/nn/sequential.h"

namespace systole::nn {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void need_positive(const char* what, std::int64_t value) {
  if (value < 1) throw std::invalid_argument(fmt::format("{} is {}, not >= 1", what, value));
}

void need_samples(const Dataset& data) {
  if (data.size() < 1) throw std::invalid_argument("the data set is empty");
  if (data.inputs.size() !=
      data.labels.size() * static_cast<std::size_t>(size_of(data.sample_shape))) {
    throw std::invalid_argument(fmt::format("the data set has {} input values for {} samples of {}",
                                            data.inputs.size(), data.size(),
                                            to_string(data.sample_shape)));
  }
}

std::int64_t steps_of(const FitOptions& options, std::int64_t batches) {
  const std::int64_t steps = options.steps_per_epoch.value_or(batches);
  need_positive("steps_per_epoch", steps);
  if (steps > batches) {
    throw std::invalid_argument(
        fmt::format("steps_per_epoch is {}, but an epoch has {} batches of {}", steps, batches,
                    options.batch_size));
  }
  return steps;
}

}  // namespace

History Sequential::fit(const Dataset& data, const FitOptions& options) {
  need_positive("epochs", options.epochs);
  need_positive("batch_size", options.batch_size);
  need_samples(data);
  need_built(data.sample_shape);
  Batches batches(data, options.batch_size);
  const std::int64_t steps = steps_of(options, batches.count());

  History history;
  for (std::int64_t epoch = 1; epoch <= options.epochs; ++epoch) {
    const auto epoch_start = std::chrono::steady_clock::now();
    batches.shuffle(options.seed, epoch);
    double loss_sum = 0, accuracy_sum = 0;
    std::int64_t samples = 0;
    for (std::int64_t step = 1; step <= steps; ++step) {
      const auto step_start = std::chrono::steady_clock::now();
      batches.take(step - 1);
      const Score score = train_batch(batches.inputs(), batches.labels());
      if (!std::isfinite(score.loss)) {
        throw TrainingError(
            fmt::format("the loss is {} at epoch {}, step {}: lower the learning rate or check the "
                        "data",
                        std::isnan(score.loss) ? "not a number" : "infinite", epoch, step));
      }
      history.losses.push_back(score.loss);
      history.step_seconds.push_back(seconds_since(step_start));

      const auto rows = static_cast<double>(batches.inputs().rows);
      samples += batches.inputs().rows;
      loss_sum += score.loss * rows;
      accuracy_sum += score.accuracy * rows;
      if (options.on_step) {
        options.on_step({.epoch = epoch,
                         .epochs = options.epochs,
                         .step = step,
                         .steps = steps,
                         .loss = loss_sum / static_cast<double>(samples),
                         .accuracy = accuracy_sum / static_cast<double>(samples),
                         .step_loss = score.loss,
                         .seconds = seconds_since(epoch_start)});
      }
    }
    history.epochs.push_back({.loss = loss_sum / static_cast<double>(samples),
                              .accuracy = accuracy_sum / static_cast<double>(samples),
                              .seconds = seconds_since(epoch_start)});
  }
  return history;
}

Score Sequential::evaluate(const Dataset& data, const EvaluateOptions& options) {
  need_positive("batch_size", options.batch_size);
  need_samples(data);
  need_built(data.sample_shape);
  Batches batches(data, options.batch_size);
  const FlushSubnormals flush;
  Score total;
  for (std::int64_t i = 0; i < batches.count(); ++i) {
    batches.take(i);
    const Tensor& logits = forward(batches.inputs(), false);
    const Score score = compiled().loss.evaluate(logits, batches.labels(), nullptr);
    const auto rows = static_cast<double>(batches.inputs().rows);
    total.loss += score.loss * rows;
    total.accuracy += score.accuracy * rows;
  }
  const auto samples = static_cast<double>(data.size());
  return {.loss = total.loss / samples, .accuracy = std::round(total.accuracy) / samples};
}

}  // namespace systole::nn
