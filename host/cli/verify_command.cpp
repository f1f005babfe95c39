#include "host/cli/verify_command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include "host/cli/device_options.h"
#include "host/cli/json_file.h"
#include "host/cli/usage_error.h"
#include "sim/verify/verification.h"
#include "sim/verify/verify_clocks.h"
#include "sim/verify/verify_devices.h"

namespace systole {
namespace {

using namespace verify;

struct VerifyOptions {
  std::uint64_t programs = 100;
  std::uint64_t seed = 1;
  int array_size = 8;
  bool quiet = false;
  std::string json_path;
};

/// The difference, the case made small, and how to run it again.
[[noreturn]] void report(const Case& which, const std::string& difference,
                         const DeviceMaker& make_device, const VerifyOptions& options) {
  const Case smallest = minimise(which, make_device);
  fmt::print("{}\n", describe(smallest));
  fmt::print("difference: {}\n", difference);
  const auto after = check(smallest, make_device);
  if (after && *after != difference) fmt::print("as printed above: {}\n", *after);
  std::fflush(stdout);
  throw std::runtime_error(
      fmt::format("seed {} differs; again with `systole verify --programs 1 --seed {} --array {}`",
                  which.seed, which.seed, options.array_size));
}

void run_verify(const VerifyOptions& options) {
  const JsonFile json(options.json_path);
  DeviceMaker make_device;
  try {
    make_device = verify_device(options.array_size);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
  Coverage coverage;
  ClocksCompared timed;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < options.programs; ++i) {
    const Case which = make_case(options.seed + i, options.array_size);
    if (const auto difference = check(which, make_device, &coverage)) {
      report(which, *difference, make_device, options);
    }
    if (const auto difference = check_clocks(which, timed)) {
      fmt::print("{}\ndifference: {}\n", describe(which), *difference);
      std::fflush(stdout);
      throw std::runtime_error(fmt::format(
          "the time of seed {} differs; again with `systole verify --programs 1 --seed {} --array "
          "{}`",
          which.seed, which.seed, options.array_size));
    }
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Totals& totals = coverage.totals();
  fmt::print("compared         {}\n", compared_devices(options.array_size));
  fmt::print("seeds            {} .. {}, {} programs\n", options.seed,
             options.seed + options.programs - 1, totals.programs);
  fmt::print("differences      0\n");
  fmt::print("device work      {} commands, {} tiles, {} clocks\n", totals.commands, totals.tiles,
             totals.cycles);
  fmt::print("timed apart      {} programs, {} clocks: every counter as on the device\n",
             timed.programs, timed.clocks);
  fmt::print("wall time        {:.1f} s measured\n", seconds);
  fmt::print("coverage         {} kinds never met\n", coverage.missing());
  if (!options.quiet) fmt::print("{}", coverage.table());
  json.write({{"array", options.array_size},
              {"seed", options.seed},
              {"cases", options.programs},
              {"compared", compared_devices(options.array_size)},
              {"programs", totals.programs},
              {"commands", totals.commands},
              {"tiles", totals.tiles},
              {"clocks", totals.cycles},
              {"timed_programs", timed.programs},
              {"timed_clocks", timed.clocks},
              {"differences", 0},
              {"kinds_never_met", coverage.missing()},
              {"wall_seconds", seconds}});
}

}  // namespace

void add_verify_command(CLI::App& app) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = app.add_subcommand(
      "verify", "Run random programs on the accelerator's C++, its RTL and an interpreter");
  command->add_option("--programs", options->programs, "Cases to run, one seed each")
      ->check(kPositiveWhole)
      ->type_name("COUNT")
      ->capture_default_str();
  add_seed_option(*command, options->seed);
  command->add_option("--array", options->array_size, "Array size N")
      ->check(kPositiveWhole)
      ->type_name("N")
      ->capture_default_str();
  add_json_option(*command, options->json_path);
  command->add_flag("--quiet", options->quiet, "Print no table of what was covered");
  command->footer(
      "A case is a memory with random latency, bandwidth and stalls, and a program of loads,\n"
      "products, stores and fences; every other case ends in a fault, and a second program must\n"
      "run after it. Native C++ and RTL must show the same signals in every clock, and leave\n"
      "memory and registers as the interpreter does. Case i has the seed S + i. Programs without "
      "a\n"
      "fault are also timed as the model device times them, with a memory that does not stall.\n"
      "\n"
      "Example:\n"
      "  systole verify --programs 1000 --seed 1 --array 8");
  command->callback([options] { run_verify(*options); });
}

}  // namespace systole
