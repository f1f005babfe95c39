#include "host/cli/training_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "host/cli/energy_record.h"
#include "host/cli/run_record.h"
#include "host/cli/training_meter.h"
#include "host/cli/usage_error.h"
#include "host/device/backend.h"
#include "host/device/checksum.h"
#include "host/nn/callbacks/progress_bar.h"
#include "host/report/recorded_run.h"

namespace systole {
namespace {

// Of all cores of this rank.
std::optional<CheckCoverage> check_coverage(const std::vector<Device>& devices) {
  std::optional<CheckCoverage> all = devices.front().check_coverage();
  for (std::size_t i = 1; all && i < devices.size(); ++i) {
    const CheckCoverage more = devices[i].check_coverage().value_or(CheckCoverage{});
    all->programs += more.programs;
    all->checked_programs += more.checked_programs;
    all->macs += more.macs;
    all->checked_macs += more.checked_macs;
    all->cycles += more.cycles;
  }
  return all;
}

// The shortest decimals of the fp32, rather than the longer ones of its double.
double number(float value) { return std::stod(fmt::format("{}", value)); }

void add_updates(nlohmann::ordered_json& config, const TrainingChoice& choice) {
  if (const auto* adam = std::get_if<nn::Adam>(&choice.optimizer)) {
    config["optimizer"] = adam->decays_vectors ? "adam" : "adamw";
    config["learning_rate"] = number(adam->learning_rate);
    if (adam->weight_decay != 0) config["weight_decay"] = number(adam->weight_decay);
  } else {
    const auto& sgd = std::get<nn::Sgd>(choice.optimizer);
    config["optimizer"] = "sgd";
    config["learning_rate"] = number(sgd.learning_rate);
    config["momentum"] = number(sgd.momentum);
  }
  config["schedule"] = describe(choice.schedule);
  config["clip_norm"] = nullptr;
  if (choice.clip_norm) config["clip_norm"] = number(*choice.clip_norm);
}

// Seconds of all cores together, each for the whole time of the training's steps.
double powered_seconds(const TrainingResult& result, const DeviceInfo& info) {
  if (!result.device_seconds) return device_seconds(result.counters, info);
  return *result.device_seconds * result.cores["count"].get<double>();
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
  result.cores = cores_record(strategy, model.step_time());
  result.about_cores = describe_cores(strategy, model.step_time());
  result.infeed_bytes = model.step_time().infeed_bytes;
  complete(result, meter, strategy.device(0).info());
  result.checksum = checksum();
  need_agreement(strategy.ranks(), "the checksum of the trained weights", result.checksum);
  if (plan.evaluated) result.test = model.evaluate(data.test, {.batch_size = plan.batch_size});
  result.check = check_coverage(strategy.devices());
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
  auto config = device_config(info, to_string(plan.precision));
  if (!plan.configuration.empty()) config["configuration"] = plan.configuration;
  config["batch_size"] = plan.batch_size;
  config["epochs"] = plan.epochs;
  config["steps_per_epoch"] = plan.steps_per_epoch;
  if (has_launches(info)) config["steps_per_execution"] = plan.steps_per_execution;
  add_updates(config, plan.choice);
  config["dropout"] = number(plan.choice.model.dropout);
  if (plan.choice.model.is_of_text()) config["context"] = plan.choice.model.input_shape[0];
  config["seed"] = plan.seed;
  config["normalization"] = plan.normalization;
  config["augmentation"] = plan.augmentation.describe();
  config["resumed"] = plan.resume != nullptr;
  return config;
}

nlohmann::ordered_json training_record(const TrainingPlan& plan, const TrainingResult& result,
                                       const DeviceInfo& info) {
  nlohmann::ordered_json record;
  record["command"] = "train";
  record["schema"] = kRecordSchema;
  record["model"] = plan.choice.model.name;
  record["dataset"] = plan.choice.dataset;
  record["config"] = training_config(plan, info);
  record["machine"] = machine_record();
  record["samples"] = result.samples;
  record["parameter_count"] = result.parameter_count;
  add_counters(record, result.counters, info);
  add_actions(record, result.actions);
  if (info.cycle_exact && result.device_seconds) record["device_seconds"] = *result.device_seconds;
  record["cores"] = result.cores;
  record["wall_seconds"] = result.wall_seconds;
  record["host_seconds"] = result.host_seconds;
  record["programs_per_step"] = result.programs_per_step;
  record["host_share"] = nullptr;
  if (result.host_share) record["host_share"] = *result.host_share;
  const auto& seconds = result.history.step_seconds;
  record["executions"] = result.executions;
  record["first_host_seconds"] = result.first_host_seconds;
  record["first_step_seconds"] = seconds.empty() ? 0.0 : seconds.front();
  record["later_step_seconds"] = later_step_seconds(result);
  record["fastest_tenth_step_seconds"] = fastest_tenth(result.history.step_seconds);
  record["fastest_tenth_host_seconds"] = fastest_tenth(result.host_step_seconds);
  record["fastest_tenth_input_seconds"] = fastest_tenth(result.history.input_seconds);
  record["infeed_bytes"] = result.infeed_bytes;
  record["infeed_seconds"] = result.infeed_seconds;
  add_energy(record,
             {.actions = result.actions,
              .sizes = result.sizes,
              .options = plan.energy,
              .device_seconds = powered_seconds(result, info),
              .steps = std::ssize(seconds),
              .batch_size = plan.batch_size,
              .samples = result.samples,
              .processor_seconds = fastest_tenth(result.processor_step_seconds),
              .cpu_joules = result.cpu_joules},
             info);
  using Json = nlohmann::ordered_json;
  record["epochs"] = Json::array();
  for (const auto& epoch : result.history.epochs) {
    const auto& validation = epoch.validation;
    record["epochs"].push_back({{"loss", epoch.loss},
                                {"accuracy", epoch.accuracy},
                                {"val_loss", validation ? Json(validation->loss) : Json()},
                                {"val_accuracy", validation ? Json(validation->accuracy) : Json()},
                                {"wall_seconds", epoch.seconds}});
  }
  record["losses"] = result.history.losses;
  record["stopped"] = result.history.stopped.empty() ? Json() : Json(result.history.stopped);
  record["test_loss"] = result.test ? Json(result.test->loss) : Json(nullptr);
  record["accuracy"] = result.test ? Json(result.test->accuracy) : Json(nullptr);
  record["peak_memory_bytes"] = peak_memory_bytes();
  add_check(record, result.check);
  record["result_checksum"] = result.checksum;
  if (plan.mark_step > 0) {
    record["mark_step"] = plan.mark_step;
    record["mark_checksum"] = result.mark_checksum;
  }
  return record;
}

}  // namespace systole
