#include "host/cli/training_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

#include "host/cli/energy_record.h"
#include "host/cli/run_record.h"
#include "host/cli/training_meter.h"
#include "host/cli/usage_error.h"
#include "host/device/backend.h"
#include "host/graph/checksum.h"
#include "host/nn/callbacks/progress_bar.h"
#include "host/report/recorded_run.h"

namespace systole {
namespace {

// Of all cores of all ranks.
std::optional<CheckCoverage> check_coverage(const Strategy& strategy) {
  std::optional<CheckCoverage> all = strategy.device(0).check_coverage();
  if (!all) return all;
  constexpr std::array kCounts = {&CheckCoverage::programs, &CheckCoverage::checked_programs,
                                  &CheckCoverage::macs, &CheckCoverage::checked_macs,
                                  &CheckCoverage::cycles};
  for (const auto count : kCounts) {
    std::uint64_t own = 0;
    for (const Device& core : strategy.devices()) own += core.check_coverage().value().*count;
    const std::vector<std::uint64_t> of_ranks = gather<std::uint64_t>(strategy.ranks(), {&own, 1});
    *all.*count = std::accumulate(of_ranks.begin(), of_ranks.end(), std::uint64_t{0});
  }
  return all;
}

// The shortest decimals of the fp32, rather than the longer ones of its double.
double number(float value) { return std::stod(fmt::format("{}", value)); }

void add_updates(RecordedRun& run, const TrainingChoice& choice) {
  if (const auto* adam = std::get_if<nn::Adam>(&choice.optimizer)) {
    run.optimizer = adam->decays_vectors ? "adam" : "adamw";
    run.learning_rate = number(adam->learning_rate);
    run.weight_decay = number(adam->weight_decay);
  } else {
    const auto& sgd = std::get<nn::Sgd>(choice.optimizer);
    run.optimizer = "sgd";
    run.learning_rate = number(sgd.learning_rate);
    run.momentum = number(sgd.momentum);
  }
  run.schedule = describe(choice.schedule);
  if (choice.clip_norm) run.clip_norm = number(*choice.clip_norm);
}

// The options of a run, and what it trains.
RecordedRun planned_run(const TrainingPlan& plan, const DeviceInfo& info) {
  RecordedRun run;
  static_cast<RecordedDevice&>(run) = recorded_device(info, to_string(plan.precision));
  run.model = plan.choice.model.name;
  run.dataset = plan.choice.dataset;
  run.configuration = plan.configuration;
  run.batch_size = plan.batch_size;
  run.epochs = plan.epochs;
  run.steps_per_epoch = plan.steps_per_epoch;
  if (has_launches(info)) run.steps_per_execution = plan.steps_per_execution;
  add_updates(run, plan.choice);
  run.dropout = number(plan.choice.model.dropout);
  if (plan.choice.model.is_of_text()) run.context = plan.choice.model.input_shape[0];
  run.seed = plan.seed;
  run.normalization = plan.normalization;
  run.augmentation = plan.augmentation.describe();
  run.resumed = plan.resume != nullptr;
  return run;
}

// Seconds of all cores together, each for the whole time of the training's steps.
double powered_seconds(const TrainingResult& result, const DeviceInfo& info) {
  if (!result.device_seconds) return device_seconds(result.counters, info);
  return *result.device_seconds * result.cores;
}

}  // namespace

std::string weight_checksum(std::span<nn::Parameter* const> parameters) {
  Checksum checksum;
  for (const nn::Parameter* parameter : parameters) {
    checksum.add(std::span<const float>(parameter->value));
  }
  return checksum.hex();
}

std::function<void(const nn::Progress&)> mark_weights(const TrainingPlan& plan, std::string& mark,
                                                      std::function<std::string()> checksum) {
  return
      [step = plan.mark_step, &mark, checksum = std::move(checksum)](const nn::Progress& progress) {
        if ((progress.epoch - 1) * progress.steps + progress.step == step) mark = checksum();
      };
}

std::int64_t steps_in_epoch(const TrainingOptions& options, std::int64_t samples,
                            std::int64_t batch_size) {
  const std::int64_t batches = samples / batch_size + (samples % batch_size != 0 ? 1 : 0);
  const std::int64_t steps = options.steps_per_epoch.value_or(batches);
  if (steps > batches) {
    throw UsageError(
        fmt::format("--steps-per-epoch {}: an epoch of {} samples has {} batches of {}", steps,
                    samples, batches, batch_size));
  }
  return steps;
}

void complete(TrainingResult& result, const TrainingMeter& meter, const DeviceInfo& info) {
  result.wall_seconds = meter.wall_seconds();
  result.cpu_joules = meter.processor_joules();
  result.host_seconds = meter.wall_seconds() - meter.device_seconds();
  const auto& executions = meter.executions();
  result.executions = std::ssize(executions);
  if (!executions.empty()) {
    result.first_host_seconds = executions.front().host_step_seconds;
    result.first_steps = executions.front().steps;
  }
  double host = 0, host_steps = 0;
  for (std::size_t i = executions.size() > 1 ? 1 : 0; i < executions.size(); ++i) {
    result.host_step_seconds.push_back(executions[i].host_step_seconds);
    result.processor_step_seconds.push_back(executions[i].processor_step_seconds);
    host += executions[i].host_step_seconds * static_cast<double>(executions[i].steps);
    host_steps += static_cast<double>(executions[i].steps);
  }
  const auto steps = std::ssize(result.history.step_seconds);
  const auto count = static_cast<double>(steps);
  if (steps > 0) result.programs_per_step = static_cast<double>(result.counters.programs) / count;
  if (result.infeed_bytes > 0) {
    result.infeed_seconds =
        count * info.host_link.seconds(static_cast<double>(result.infeed_bytes) / count);
  }
  const double on_device = result.device_seconds.value_or(device_seconds(result.counters, info));
  if (info.cycle_exact && on_device > 0 && host_steps > 0)
    result.host_share = host / host_steps / (on_device / count);
}

TrainingResult run_training(const TrainingPlan& plan, const Strategy& strategy,
                            const SplitDataset& data) {
  TrainingResult result;
  result.samples = data.train.size();
  nn::Sequential model = strategy.scope([&] { return nn::Sequential(plan.choice.model.layers); });
  model.compile({.optimizer = plan.choice.optimizer,
                 .schedule = plan.choice.schedule,
                 .clip_norm = plan.choice.clip_norm,
                 .precision = plan.precision,
                 .steps_per_execution = plan.steps_per_execution,
                 .input_shape = plan.choice.model.input_shape,
                 .seed = plan.seed});
  result.summary = model.summary();
  for (const nn::Parameter* parameter : model.parameters()) {
    result.parameter_count += static_cast<std::int64_t>(parameter->value.size());
  }

  nn::ProgressBar bar;
  TrainingMeter meter([&] { return model.device_wall_seconds(); }, strategy.devices(),
                      [&] { return model.processor_products(); });
  const auto checksum = [&] { return weight_checksum(model.parameters()); };
  std::vector<nn::Callback*> callbacks{&meter};
  if (strategy.is_first_rank()) callbacks.insert(callbacks.begin(), &bar);
  callbacks.insert(callbacks.end(), plan.callbacks.begin(), plan.callbacks.end());
  result.history = model.fit(
      data.train,
      {.epochs = plan.epochs,
       .batch_size = plan.batch_size,
       .steps_per_epoch = plan.steps_per_epoch,
       .validation_data = plan.validation_freq ? &data.test : nullptr,
       .validation_freq = plan.validation_freq.value_or(1),
       .seed = plan.seed,
       .augmentation = plan.augmentation,
       .callbacks = callbacks,
       .on_step = mark_weights(plan, result.mark_checksum, checksum),
       .resume = plan.resume,
       .identity = {{"model", plan.choice.model.name}, {"normalization", plan.normalization}}});
  const Counters own = meter.counters();
  for (const Counters& of_rank : gather<Counters>(strategy.ranks(), {&own, 1})) {
    result.counters += of_rank;
  }
  if (const auto actions = meter.actions()) {
    result.actions.emplace();
    for (const ActionCounts& of_rank : gather<ActionCounts>(strategy.ranks(), {&*actions, 1})) {
      *result.actions += of_rank;
    }
    result.sizes = strategy.device(0).backend().sizes().value();
  }
  result.device_seconds = model.step_time().device_seconds(strategy.device(0).info().clock_mhz);
  result.cores = strategy.cores();
  result.about_cores = cores_record(strategy, model.step_time());
  result.core_lines = describe_cores(strategy, model.step_time());
  result.infeed_bytes = model.step_time().infeed_bytes;
  complete(result, meter, strategy.device(0).info());
  result.checksum = checksum();
  need_agreement(strategy.ranks(), "the checksum of the trained weights", result.checksum);
  if (plan.evaluated) result.test = model.evaluate(data.test, {.batch_size = plan.batch_size});
  result.check = check_coverage(strategy);
  return result;
}

double later_step_seconds(const TrainingResult& result) {
  const auto& seconds = result.history.step_seconds;
  const std::int64_t count = std::ssize(seconds) - result.first_steps;
  if (count < 1) return 0;
  return std::accumulate(seconds.end() - count, seconds.end(), 0.0) / static_cast<double>(count);
}

double fastest_tenth(std::vector<double> seconds) {
  if (seconds.empty()) return 0;
  const auto tenth = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 10);
  std::ranges::nth_element(seconds, tenth);
  return *tenth;
}

nlohmann::ordered_json training_config(const TrainingPlan& plan, const DeviceInfo& info) {
  return write_config(planned_run(plan, info));
}

nlohmann::ordered_json training_record(const TrainingPlan& plan, const TrainingResult& result,
                                       const DeviceInfo& info) {
  RecordedRun run = planned_run(plan, info);
  run.processor = machine_processor();
  run.machine_threads = std::thread::hardware_concurrency();
  static_cast<RecordedMeasures&>(run) = result;
  static_cast<RecordedCounts&>(run) = recorded_counts(result.counters, info);
  if (result.device_seconds) run.device_seconds = *result.device_seconds;
  run.actions = actions_record(result.actions);
  const auto& seconds = result.history.step_seconds;
  run.first_step_seconds = seconds.empty() ? 0.0 : seconds.front();
  run.later_step_seconds = later_step_seconds(result);
  run.fastest_tenth_step_seconds = fastest_tenth(seconds);
  run.fastest_tenth_host_seconds = fastest_tenth(result.host_step_seconds);
  run.fastest_tenth_input_seconds = fastest_tenth(result.history.input_seconds);
  run.energy = recorded_energy({.actions = result.actions,
                                .sizes = result.sizes,
                                .options = plan.energy,
                                .device_seconds = powered_seconds(result, info),
                                .steps = std::ssize(seconds),
                                .batch_size = plan.batch_size,
                                .samples = result.samples,
                                .processor_seconds = fastest_tenth(result.processor_step_seconds),
                                .cpu_joules = result.cpu_joules},
                               info);
  for (const auto& epoch : result.history.epochs) {
    RecordedRun::Epoch& recorded = run.epoch_results.emplace_back();
    recorded.loss = epoch.loss;
    recorded.accuracy = epoch.accuracy;
    recorded.wall_seconds = epoch.seconds;
    if (!epoch.validation) continue;
    recorded.held_out_loss = epoch.validation->loss;
    recorded.held_out_accuracy = epoch.validation->accuracy;
  }
  run.losses.assign(result.history.losses.begin(), result.history.losses.end());
  run.stopped = result.history.stopped;
  if (result.test) {
    run.test_loss = result.test->loss;
    run.test_accuracy = result.test->accuracy;
  }
  run.peak_memory_bytes = peak_memory_bytes();
  run.check = check_record(result.check);
  run.mark_step = plan.mark_step;
  return write_run(run);
}

}  // namespace systole
