#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "host/cli/commands.h"
#include "host/cli/device_options.h"
#include "host/cli/usage_error.h"
#include "host/nn/training/checkpoint.h"
#include "host/nn/training/models.h"
#include "host/nn/training/word_sampler.h"

namespace systole {
namespace {

struct GenerateOptions {
  std::string checkpoint;
  nn::WordSampling sampling;
  std::string device = "cpu";
  DeviceOptions machine;
};

// The rows of the table of places.
std::int64_t context_of(const nn::Checkpoint& checkpoint) {
  constexpr const char* kTable = "model/1.positionembedding.table";
  if (!checkpoint.arrays(kTable).empty()) return checkpoint.shape(kTable).front();
  throw checkpoint.error("its model spells no words; train gpt-words --checkpoint writes one");
}

void run_generate(const GenerateOptions& options) {
  const nn::Checkpoint checkpoint = nn::Checkpoint::load(options.checkpoint);
  const std::int64_t context = context_of(checkpoint);
  const Device device = open_device(options.device, options.machine);
  nn::Sequential model(nn::find_model("gpt-words", {}, context).layers);
  model.compile({.device = device, .input_shape = {context}});
  nn::load_weights(checkpoint, model.parameters());
  const auto sample = [&] { return nn::sample_words(model, context, options.sampling); };
  for (const std::string& word : as_usage(sample)) fmt::print("{}\n", word);
}

}  // namespace

void add_generate_command(CLI::App& app) {
  // Shared with the callback, which runs after this function has returned.
  auto options = std::make_shared<GenerateOptions>();
  CLI::App* command = app.add_subcommand("generate", "Spell words with a trained gpt-words");
  command
      ->add_option("--checkpoint", options->checkpoint,
                   "File that train gpt-words --checkpoint wrote")
      ->required()
      ->type_name("FILE");
  add_count(*command, "--count", options->sampling.count, "Words to print");
  command
      ->add_option("--temperature", options->sampling.temperature,
                   "Divisor of the logits: below 1 for likelier letters, above for others")
      ->check(CLI::PositiveNumber)
      ->type_name("NUMBER")
      ->capture_default_str();
  add_seed_option(*command, options->sampling.seed);
  add_device_option(*command, options->device);
  add_machine_options(*command, options->machine);
  command->footer(
      "Each letter is drawn from the softmax of the logits that follow from those before it.\n"
      "\n"
      "Example:\n"
      "  systole generate --checkpoint gpt.safetensors --count 20 --temperature 0.8");
  command->callback([options] { run_generate(*options); });
}

}  // namespace systole
