#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "host/cli/commands.h"
#include "host/cli/configuration_option.h"
#include "host/cli/device_options.h"
#include "host/cli/file_options.h"
#include "host/cli/inspect_actions.h"
#include "host/cli/inspect_file.h"
#include "host/cli/training_options.h"
#include "host/cli/usage_error.h"
#include "host/compiler/describe.h"
#include "host/device/backend.h"
#include "host/graph/simplify.h"
#include "host/graph/text.h"
#include "host/nn/training/replica.h"

namespace systole {
namespace {

struct InspectOptions {
  TrainingOptions training;
  DeviceOptions machine;
  std::int64_t steps = 1;
  bool graph = false;
  std::string print_after;             ///< a pass; empty: the program
  std::string action_counts, json;     ///< files; empty: none is written
  std::optional<std::int64_t> clocks;  ///< of a step; none: as the planner estimates them
};

// As --help: does without a model.
void list_passes() {
  std::size_t width = 0;
  for (const lowering::Pass& pass : lowering::passes()) width = std::max(width, pass.name.size());
  for (const lowering::Pass& pass : lowering::passes()) {
    fmt::print("{:<{}}  {}\n", pass.name, width, pass.holds);
  }
  throw CLI::Success();
}

bool names_file(const std::string& model) {
  return std::ranges::count(nn::model_names(), model) == 0 &&
         std::filesystem::is_regular_file(model);
}

void run_inspect(const CLI::App& command, const InspectOptions& options) {
  if (names_file(options.training.model)) {
    for (const char* name : {"--batch-size", "--optimizer", "--precision", "--steps-per-execution",
                             "--action-counts", "--clocks", "--json"}) {
      if (command.count(name) > 0) {
        throw UsageError(fmt::format("{} is of a model: the program in {} is as it is", name,
                                     options.training.model));
      }
    }
    inspect_file({.path = options.training.model,
                  .device = open_device("model", options.machine),
                  .graph = options.graph,
                  .print_after = options.print_after});
    return;
  }
  if (options.training.model == kTranslationModel) {
    throw UsageError(fmt::format("inspect shows chains of layers, and {} is none: choose from {}",
                                 kTranslationModel, fmt::join(nn::model_names(), ", ")));
  }
  const TrainingChoice choice = choose_training(options.training);
  nn::Replica replica(std::make_shared<const std::vector<nn::Layer>>(choice.model.layers));
  replica.build(choice.model.input_shape, options.training.seed);
  const nn::TrainingGraph step = replica.training_graph(
      options.training.batch_size, nn::SoftmaxCrossEntropy{}, choice.optimizer, choice.clip_norm);
  if (options.graph) {
    fmt::print("{}", graph::print(*graph::simplify(*step.graph)));
    return;
  }
  std::optional<lowering::Quantization> quantization;
  if (options.training.precision == "int8") quantization = {.seed = options.training.seed};
  const Device device = open_device("model", options.machine);
  const DeviceSizes sizes = *device.backend().sizes();
  if (!options.print_after.empty()) {
    print_after_pass(options.print_after, *step.graph, sizes, nn::states_of(step), quantization);
    return;
  }
  const lowering::StepProgram program(*step.graph, device.backend().memory(),
                                      {.sizes = sizes,
                                       .most_steps = options.steps,
                                       .resident = nn::states_of(step),
                                       .quantization = quantization});
  fmt::print("step     {}, batches of {}, {}, {} x {} array\n", choice.model.name,
             options.training.batch_size, describe_updates(choice), sizes.array_size,
             sizes.array_size);
  fmt::print("{}", lowering::describe(program));
  show_actions(program, device,
               {.model = choice.model.name,
                .precision = options.training.precision,
                .batch_size = options.training.batch_size,
                .energy = energy_of_configuration(configuration_word(command)),
                .clocks = options.clocks,
                .json = options.json,
                .action_counts = options.action_counts});
}

}  // namespace

void add_inspect_command(CLI::App& app) {
  // Shared with the callback, which runs after this function has returned.
  auto options = std::make_shared<InspectOptions>();
  CLI::App* command =
      app.add_subcommand("inspect", "Show a model's training step as a program of the device");
  command
      ->add_option("model", options->training.model,
                   fmt::format("Network: {}; or a file with a program, as text of StableHLO or a "
                               "portable artifact",
                               fmt::join(nn::model_names(), ", ")))
      ->required()
      ->type_name("MODEL");
  add_count(*command, "--batch-size", options->training.batch_size, "Samples in a step");
  add_count(*command, "--context", options->training.context,
            "Characters of a sample of text (default: the model's)");
  command->add_option("--optimizer", options->training.optimizer, kOptimizers)
      ->type_name("NAME")
      ->capture_default_str();
  add_size_options(*command, options->machine);
  options->training.precision = "bf16";
  command->add_option("--precision", options->training.precision, "Operands of matrix products")
      ->check(CLI::IsMember({"bf16", "int8"}))
      ->type_name("TYPE")
      ->capture_default_str();
  add_count(*command, "--steps-per-execution", options->steps, "Steps of a launch");
  auto* graph =
      command->add_flag("--graph", options->graph, "Print the step's graph as StableHLO instead");
  command
      ->add_option("--print-after", options->print_after,
                   "Print the graph after a pass of the compiler instead")
      ->check(parses_by([](const std::string& name) { lowering::find_pass(name); }))
      ->type_name("PASS")
      ->excludes(graph);
  writes_file(
      command
          ->add_option("--action-counts", options->action_counts,
                       "Also write the step's actions and their energies as Accelergy reads them")
          ->type_name("FILE.yaml"));
  add_count(*command, "--clocks", options->clocks,
            "Clocks of a step, for static power, where a run has counted them");
  add_json_option(*command, options->json);
  command->add_flag_callback("--list-passes", list_passes,
                             "List the compiler's passes in order, and what holds after each");
  command->footer(
      "Products run on the array, everything else in kernels of the vector engine. Clocks are the\n"
      "planner's estimates.\n"
      "\n"
      "Examples:\n"
      "  systole inspect mnist-mlp --batch-size 128 --optimizer sgd\n"
      "  systole inspect cifar10-cnn --batch-size 1024 --config tpu-v2-core\n"
      "  systole inspect cifar10-cnn --print-after split_windows\n"
      "  systole inspect program-3.mlirbc --graph");
  command->callback([command, options] { run_inspect(*command, *options); });
}

}  // namespace systole
