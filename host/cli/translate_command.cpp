#include <fmt/format.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/cli/commands.h"
#include "host/cli/device_options.h"
#include "host/cli/usage_error.h"
#include "host/nn/translation/translator_checkpoint.h"

namespace systole {
namespace {

struct TranslateOptions {
  std::string checkpoint;
  std::vector<std::string> sentences;
  std::string device = "cpu";
  DeviceOptions machine;
};

void run_translate(const TranslateOptions& options) {
  const Device device = open_device(options.device, options.machine);
  nn::TrainedTranslator trained = nn::load_translator(options.checkpoint, device);
  for (const std::string& sentence : options.sentences) {
    fmt::print("{}\n", as_usage([&] { return trained.translate(sentence); }));
  }
}

}  // namespace

void add_translate_command(CLI::App& app) {
  // Shared with the callback, which runs after this function has returned.
  auto options = std::make_shared<TranslateOptions>();
  CLI::App* command =
      app.add_subcommand("translate", "Translate Spanish sentences with a trained nmt");
  command->add_option("--checkpoint", options->checkpoint, "File that train nmt --checkpoint wrote")
      ->required()
      ->type_name("FILE");
  command->add_option("sentences", options->sentences, "What to translate, a line for each")
      ->required()
      ->type_name("SENTENCE");
  add_device_option(*command, options->device);
  add_machine_options(*command, options->machine);
  command->footer(
      "Example:\n"
      "  systole translate --checkpoint nmt.safetensors \"¿Dónde está mi perro?\"");
  command->callback([options, command] {
    need_used_options(*command, options->device);
    run_translate(*options);
  });
}

}  // namespace systole
