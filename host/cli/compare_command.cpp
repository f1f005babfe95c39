#include "host/cli/compare_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/cli/comparison.h"
#include "host/cli/comparison_figure.h"
#include "host/cli/comparison_table.h"
#include "host/cli/device_options.h"
#include "host/cli/json_file.h"
#include "host/cli/usage_error.h"
#include "host/data/datasets.h"

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
  std::string devices = all_devices();
  std::vector<std::int64_t> batch_sizes = {128};
  DeviceOptions machine;
  std::string json_path;
  std::string plot_folder;
};

// A device with a limit does the first steps of the first epoch, and is not judged by the test set:
// so few steps say nothing about accuracy.
TrainingPlan plan_for(const ComparedDevice& device, TrainingPlan plan) {
  if (!device.steps) return plan;
  const std::int64_t whole = plan.epochs * plan.steps_per_epoch;
  if (*device.steps >= whole) return plan;
  plan.steps_per_epoch = std::min(plan.steps_per_epoch, *device.steps);
  plan.epochs = 1;
  plan.evaluated = false;
  return plan;
}

// The steps that all bit-exact devices have in common, whose weights are compared.
std::int64_t common_steps(const std::vector<TrainingPlan>& plans,
                          const std::vector<Device>& devices) {
  std::int64_t steps = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (!devices[i].info().bit_exact) continue;
    const std::int64_t own = plans[i].epochs * plans[i].steps_per_epoch;
    steps = steps == 0 ? own : std::min(steps, own);
  }
  return steps;
}

void refuse_disagreement(const Comparison& comparison) {
  for (const Agreement& agreement : comparison.agreements()) {
    if (agreement.losses_equal && agreement.weights_equal) continue;
    throw std::runtime_error(
        fmt::format("{} and {} differ at batch {}; this is a defect, please report it with the "
                    "--json record",
                    agreement.first, agreement.second, agreement.batch_size));
  }
}

void run_compare(const CompareOptions& options) {
  const TrainingOptions& training = options.training;
  const TrainingChoice choice = choose_training(training);
  const std::vector<ComparedDevice> names = parse_devices(options.devices);
  std::vector<Device> devices;
  std::vector<DataType> precisions;
  for (const ComparedDevice& name : names) {
    devices.push_back(open_device(name.name, options.machine));
    precisions.push_back(choose_precision(training, devices.back()));
  }
  const JsonFile json(options.json_path);
  const ComparisonFigure figure(options.plot_folder);
  std::optional<std::filesystem::path> data_dir;
  if (!training.data_dir.empty()) data_dir = training.data_dir;
  SplitDataset data = load_dataset(choice.dataset, data_dir);
  if (training.test_samples) data.test = data.test.first(*training.test_samples);

  std::vector<std::vector<TrainingPlan>> plans;
  for (const std::int64_t batch_size : options.batch_sizes) {
    const TrainingPlan whole{
        .choice = choice,
        .batch_size = batch_size,
        .epochs = training.epochs,
        .steps_per_epoch = steps_in_epoch(training, data.train.size(), batch_size),
        .seed = training.seed};
    auto& row = plans.emplace_back();
    for (std::size_t i = 0; i < devices.size(); ++i) {
      row.push_back(plan_for(names[i], whole));
      row.back().precision = precisions[i];
    }
    const std::int64_t mark = common_steps(row, devices);
    for (TrainingPlan& plan : row) plan.mark_step = mark;
  }

  Comparison comparison{.samples = data.train.size()};
  for (const auto& row : plans) {
    for (std::size_t i = 0; i < devices.size(); ++i) {
      ComparedRun& run = comparison.runs.emplace_back();
      run.info = devices[i].info();
      run.plan = row[i];
      fmt::print(stderr, "{}, batches of {}, {} steps\n", describe(run), run.plan.batch_size,
                 run.plan.epochs * run.plan.steps_per_epoch);
      run.result = run_training(run.plan, Strategy(system_of(devices[i])), data);
    }
  }
  json.write(comparison_record(comparison));
  fmt::print("\n{} on {}: {}, seed {}\n\n{}", choice.model.name, choice.dataset,
             describe(choice.optimizer), training.seed, comparison_table(comparison));
  figure.write(comparison);
  refuse_disagreement(comparison);
}

}  // namespace

void add_compare_command(CLI::App& app) {
  // Shared with the callback, which runs after this function is gone.
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command =
      app.add_subcommand("compare", "Train the same network on several devices, side by side");
  add_training_options(*command, options->training);
  command
      ->add_option(
          "--devices", options->devices,
          fmt::format("Which devices; NAME:STEPS does the first steps only, as rtl does by "
                      "itself ({} of them)",
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
  command
      ->add_option("--plot", options->plot_folder,
                   "Also draw compare.png and compare.svg into this folder (needs gnuplot)")
      ->type_name("DIR");
  command->footer(
      "cpu multiplies fp32 unless --precision says otherwise, the devices bf16. The CPU and the\n"
      "simulations get the same --threads. Wall time is measured, cycles are simulated, and "
      "device\n"
      "time follows from an assumed clock. Fails if two bit-exact devices differ in any bit.\n"
      "\n"
      "Example:\n"
      "  systole compare mnist-mlp --devices cpu,model,rtl:5 --batch-sizes 64,128 --plot figures");
  command->callback([options] { run_compare(*options); });
}

}  // namespace systole
