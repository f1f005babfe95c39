#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "host/cli/commands.h"
#include "host/cli/compared_devices.h"
#include "host/cli/compared_task.h"
#include "host/cli/comparison_record.h"
#include "host/cli/configuration_option.h"
#include "host/cli/device_options.h"
#include "host/cli/file_options.h"
#include "host/cli/run_record.h"
#include "host/cli/strategy_option.h"
#include "host/cli/usage_error.h"
#include "host/distribute/system.h"
#include "host/nn/training/step_runner.h"
#include "host/report/comparison_table.h"
#include "host/report/figure_files.h"
#include "host/report/page.h"

namespace systole {
namespace {

// "cpu,model,rtl": every device of this build.
std::string all_devices() {
  std::string names;
  for (const DeviceInfo& info : Device::list()) {
    names += (names.empty() ? "" : ",") + info.name;
  }
  return names;
}

struct CompareOptions {
  TrainingOptions training;
  TranslationSizes translation;
  std::string devices = all_devices();
  std::vector<std::int64_t> batch_sizes = {128};
  DeviceOptions machine;
  std::string configuration;  ///< of devices without one of their own
  std::string configured;     ///< the same, whatever overrides it
  bool resume = false;
  std::string json_path;
  std::string plot_folder;
};

// A device with a limit runs the first steps of the first epoch and is not evaluated: so few steps
// say nothing about accuracy.
TrainingPlan plan_for(const ComparedDevice& device, TrainingPlan plan) {
  if (!device.steps) return plan;
  // The first execution also waits for its batches, so a second one is what is compared. RTL proves
  // the model's bits and clocks and has no times of its own.
  const std::int64_t two = device.name == "model" ? 2 * plan.steps_per_execution : 0;
  const std::int64_t steps = std::max(*device.steps, two);
  const std::int64_t whole = plan.epochs * plan.steps_per_epoch;
  if (steps >= whole) return plan;
  plan.steps_per_epoch = std::min(plan.steps_per_epoch, steps);
  plan.epochs = 1;
  plan.evaluated = false;
  plan.validation_freq.reset();
  return plan;
}

// The baseline on this processor is in fp32, whatever the devices multiply.
DataType choose_compared_precision(const TrainingOptions& training, const Device& device) {
  const bool is_baseline = !device.info().cycle_exact && device.info().platform.empty();
  return is_baseline ? nn::default_precision(device) : choose_precision(training, device);
}

// One training of the comparison, before it is run.
struct PlannedRun {
  ComparedDevice device;
  DeviceInfo info;
  TrainingPlan plan;
};

// The steps that all bit-exact devices run; their weights are compared after these.
void mark_common_steps(std::vector<PlannedRun>& runs) {
  std::int64_t steps = 0;
  for (const PlannedRun& run : runs) {
    if (!run.info.bit_exact) continue;
    const std::int64_t own = run.plan.epochs * run.plan.steps_per_epoch;
    steps = steps == 0 ? own : std::min(steps, own);
  }
  for (PlannedRun& run : runs) run.plan.mark_step = run.info.bit_exact ? steps : 0;
}

std::string configuration_name(const ComparedDevice& device, const DeviceInfo& info,
                               const CompareOptions& options) {
  if (info.array_size == 0 || device.array_size || device.clock_mhz) return {};
  return device.configuration.empty() ? options.configuration : device.configuration;
}

std::vector<PlannedRun> plan_runs(const CompareOptions& options, const ComparedTask& task) {
  const TrainingOptions& training = options.training;
  std::vector<PlannedRun> all;
  for (const std::int64_t batch_size : options.batch_sizes) {
    std::vector<PlannedRun> row;
    for (const ComparedDevice& name : parse_devices(options.devices)) {
      const Device device = open_device(name.name, name.on(options.machine));
      PlannedRun& run = row.emplace_back();
      run.device = name;
      run.info = device.info();
      run.plan = plan_for(
          name, {.choice = task.choice,
                 .precision = choose_compared_precision(training, device),
                 .batch_size = batch_size,
                 .epochs = training.epochs,
                 .steps_per_epoch = steps_in_epoch(training, task.samples, batch_size),
                 .steps_per_execution = has_launches(run.info) ? training.steps_per_execution : 1,
                 .seed = training.seed,
                 .validation_freq = 1,
                 .configuration = configuration_name(name, run.info, options),
                 .energy = energy_of_configuration(
                     name.configuration.empty() ? options.configured : name.configuration)});
    }
    mark_common_steps(row);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

void announce(const PlannedRun& run, std::size_t index, std::size_t count, bool known) {
  fmt::print(stderr, "{} of {}: {}, {}, batches of {}, {} steps{}\n", index + 1, count,
             run.device.words(), to_string(run.plan.precision), run.plan.batch_size,
             run.plan.epochs * run.plan.steps_per_epoch, known ? ": recorded already" : "");
}

Strategy open_cores(const ComparedDevice& device, const DeviceOptions& machine) {
  if (device.cores > 1) return open_strategy(device.name, device.on(machine), device.cores);
  return Strategy(system_of(open_device(device.name, device.on(machine))));
}

// Returns how many failed; a failure does not stop the others.
std::size_t train_all(const std::vector<PlannedRun>& runs, const CompareOptions& options,
                      const ComparedTask& task, ComparisonRecord& record) {
  std::size_t failures = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const PlannedRun& run = runs[i];
    const bool known =
        record.has(task.config(run.plan, run.info), run.device.cores, run.plan.mark_step);
    announce(run, i, runs.size(), known);
    if (known) continue;
    try {
      // A new device, so that each run pays for its own first step.
      record.add(task.run(run.plan, open_cores(run.device, options.machine)));
    } catch (const std::exception& error) {
      fmt::print(stderr, "{} at batch size {} failed: {}\n", run.device.words(),
                 run.plan.batch_size, error.what());
      record.add_failure(run.device.words(), run.plan.batch_size, error.what());
      ++failures;
    }
  }
  return failures;
}

void refuse_disagreement(const Comparison& comparison) {
  for (const Agreement& agreement : comparison.agreements()) {
    if (agreement.losses_equal && agreement.weights_equal) continue;
    throw std::runtime_error(fmt::format(
        "{} and {} differ at batch size {}; this is a defect, please report it with the "
        "--json record",
        agreement.first, agreement.second, agreement.batch_size));
  }
}

void show(const Comparison& comparison, const TrainingChoice& choice, std::uint64_t seed,
          const FigureFolder& folder) {
  fmt::print("\n{} on {}: {}, seed {}\n\n{}", choice.model.name, choice.dataset,
             describe_updates(choice), seed, comparison_table(comparison));
  for (const std::string& file : folder.write(draw_figures(comparison))) {
    fmt::print("figure: {}\n", file);
  }
  const std::string page = folder.write_text("compare.html", report_page(comparison));
  if (!page.empty()) fmt::print("page: {}\n", page);
}

void run_compare(const CompareOptions& options) {
  const TrainingOptions& training = options.training;
  if (options.resume && options.json_path.empty()) {
    throw UsageError("--resume needs the --json file with the earlier runs");
  }
  for (const ComparedDevice& name : parse_devices(options.devices)) {
    const Device device = open_device(name.name, name.on(options.machine));
    choose_compared_precision(training, device);
    note_cache(device);
    if (name.cores > 1 && training.model == kTranslationModel) {
      throw UsageError(fmt::format("--devices {}: a translator trains on one core", name.words()));
    }
  }
  const FigureFolder folder(options.plot_folder);
  const ComparedTask task = open_task(training, options.translation);
  const TrainingChoice& choice = task.choice;
  ComparisonRecord record(options.json_path,
                          {{"model", choice.model.name},
                           {"dataset", choice.dataset},
                           {"test_samples", task.test_samples}},
                          options.resume);

  const auto runs = plan_runs(options, task);
  const std::size_t failures = train_all(runs, options, task, record);
  record.finish();
  const Comparison comparison = record.comparison();
  if (!comparison.runs.empty()) show(comparison, choice, training.seed, folder);
  if (failures > 0) {
    throw std::runtime_error(
        fmt::format("{} of {} runs failed (their messages are above); the others are recorded, and "
                    "--resume with the same --json file tries again what is missing",
                    failures, runs.size()));
  }
  refuse_disagreement(comparison);
}

}  // namespace

void add_compare_command(CLI::App& app) {
  // Shared with the callback, which runs after this function has returned.
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command =
      app.add_subcommand("compare", "Train the same network on several devices, side by side");
  add_training_options(*command, options->training);
  add_translation_options(*command, options->translation);
  command
      ->add_option(
          "--devices", options->devices,
          fmt::format("Devices, each a NAME; NAME@N or NAME@NxMHZ sets its array and clock, "
                      "NAME@CONFIG its configuration as --config does, NAME*CORES spreads each "
                      "batch over that many cores, NAME:STEPS runs only the first steps (default "
                      "for rtl: {}), and on model at least two launches of compiled steps",
                      kRtlSteps))
      ->type_name("NAME,...")
      ->capture_default_str();
  command->add_option("--batch-sizes", options->batch_sizes, "Samples in a step, one run for each")
      ->delimiter(',')
      ->check(kPositiveWhole)
      ->type_name("COUNT,...")
      ->capture_default_str();
  add_machine_options(*command, options->machine);
  add_seed_option(*command, options->training.seed);
  add_json_option(*command, options->json_path);
  command->add_flag("--resume", options->resume,
                    "Keep the runs that the --json file already holds, and do the missing ones");
  writes_figures(
      command
          ->add_option("--plot", options->plot_folder,
                       "Also draw the figures into this folder, and the page compare.html (PNG "
                       "files need rsvg-convert)")
          ->type_name("DIR"));
  command->footer(
      "Devices run compiled steps in bf16, or in --precision; cpu runs the same steps in fp32. "
      "The\n"
      "CPU and the simulations get the same --threads. Wall time is measured, cycles are\n"
      "simulated, and device time follows from an assumed clock. Fails if two bit-exact devices\n"
      "differ in any bit. The --json file is written after every run. docs/comparison.md says how\n"
      "to read the figures.\n"
      "\n"
      "Example:\n"
      "  systole compare mnist-mlp --devices cpu,model,rtl:5 --batch-sizes 64,128 --plot page");
  command->callback([options, command] {
    need_translation(*command, options->training.model);
    const std::vector<ComparedDevice> devices = parse_devices(options->devices);
    need_used_options(*command, [&](std::string_view option) {
      std::string why;
      for (const ComparedDevice& device : devices) {
        why = device.reason_unused(option);
        if (why.empty()) break;
      }
      return why;
    });
    options->configuration = configuration_name(*command);
    options->configured = configuration_word(*command);
    run_compare(*options);
  });
}

}  // namespace systole
