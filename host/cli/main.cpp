// systole: the command line. A command is one file in this folder and two lines here.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "host/cli/commands.h"
#include "host/cli/file_options.h"
#include "host/cli/interrupt.h"
#include "host/cli/usage_error.h"
#include "host/distribute/launcher.h"

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr int kSignalled = 128;

int complain(std::string message, int exit_code) {
  // One line, whatever a library put into its message.
  for (char& c : message) {
    if (c == '\n') c = ' ';
  }
  while (!message.empty() && message.back() == ' ') message.pop_back();
  // All ranks have read the same command line, so only one reports a usage error; any may fail
  // alone.
  const int rank = systole::rank_of_launcher();
  if (exit_code == kWrongUsage && rank > 0) return exit_code;
  if (systole::ranks_of_launcher() > 1 && exit_code == kFailed) {
    message = fmt::format("rank {}: {}", rank, message);
  }
  // Not fmt::print, which throws if standard error cannot be written.
  std::fputs(("systole: " + message + "\n").c_str(), stderr);
  return exit_code;
}

std::string help_hint(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return fmt::format("; see systole{} --help", chosen.empty() ? "" : " " + chosen[0]->get_name());
}

// CLI11 reports a misspelt command only as a missing one.
std::string missing_command(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  const std::string list = fmt::format("{}", fmt::join(names, ", "));
  return argc < 2 ? fmt::format("say what to do: {}", list)
                  : fmt::format("unknown command '{}': choose from {}", argv[1], list);
}

int run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    const bool no_command = app.get_subcommands().empty();
    const std::string what = no_command ? missing_command(app, argc, argv) : error.what();
    return complain(what + help_hint(app), kWrongUsage);
  } catch (const systole::UsageError& error) {
    return complain(error.what(), kWrongUsage);
  } catch (const systole::Interrupted& signal) {
    return complain(signal.what(), kSignalled + signal.signal());
  } catch (const std::bad_alloc&) {
    return complain("not enough memory on this machine; choose smaller sizes", kFailed);
  } catch (const std::exception& error) {
    return complain(error.what(), kFailed);
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding a file size limit is then an error like a full disk
  CLI::App app{"Systole, an open TPU: train networks on a systolic array, and see what it costs"};
  app.name("systole");
  app.set_version_flag("--version", "systole " SYSTOLE_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 failed, 2 wrong usage.\n"
      "\n"
      "Example:\n"
      "  systole gemm --m 64 --k 784 --n 128 --type bf16");
  systole::add_devices_command(app);
  systole::add_gemm_command(app);
  systole::add_train_command(app);
  systole::add_translate_command(app);
  systole::add_generate_command(app);
  systole::add_compare_command(app);
  systole::add_inspect_command(app);
  systole::add_report_command(app);
  systole::add_verify_command(app);
  // Before the command's callback, which does the work.
  app.parse_complete_callback([&app] {
    for (const CLI::App* command : app.get_subcommands()) systole::need_separate_files(*command);
  });
  const int exit_code = run(app, argc, argv);
  // A full disk under standard output shows only when its buffer is flushed.
  if (std::fflush(stdout) != 0 && exit_code == 0) {
    return complain("cannot write to standard output", kFailed);
  }
  return exit_code;
}
