#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "host/cli/commands.h"
#include "host/cli/device_options.h"
#include "host/cli/json_file.h"
#include "host/cli/trace_options.h"
#include "host/cli/usage_error.h"
#include "sim/timeline/traced_case.h"
#include "sim/verify/line_verification.h"
#include "sim/verify/verification.h"
#include "sim/verify/verify_devices.h"

namespace systole {
namespace {

using namespace verify;

struct VerifyOptions {
  std::uint64_t programs = 100;
  std::uint64_t seed = 1;
  int array_size = 8;
  int bus_bytes = 0;
  int cores = 1;
  bool quiet = false;
  std::string json_path;
  TraceOptions trace;  // its window in clocks of the case
  std::optional<std::uint64_t> trace_program;

  Case program(std::uint64_t index) const { return make_case(seed + index, array_size, bus_bytes); }
};

void say_traced(const sim::TraceWindow& window, const std::string& of) {
  fmt::print("trace            {}, clocks {} to {} of {}; clock c is the time 2 c\n", window.file,
             window.first, window.last, of);
}

/// Writes a trace of a failing case, if possible; the case's own failure matters more.
template <typename Write>
void try_to_trace(const VerifyOptions& options, Write write) {
  if (!options.trace.asked()) return;
  try {
    write();
  } catch (const std::exception& error) {
    fmt::print("trace            none: {}\n", error.what());
  }
}

/// Traces the requested clocks, or else the last ones before the difference.
void trace_failure(const Case& which, const Difference& difference, const VerifyOptions& options) {
  const TraceOptions& trace = options.trace;
  const bool chosen = !trace.window.empty() || trace.command;
  say_traced(chosen ? sim::trace_case(which, traced_clocks(trace), trace.path)
                    : sim::trace_difference(which, difference, trace.path),
             "the case as printed");
}

/// Traces the chosen program when nothing differs.
void trace_chosen(const VerifyOptions& options) {
  if (!options.trace.asked()) return;
  if (!options.trace_program) {
    fmt::print(
        "trace            none: nothing differs; --trace-program 0 writes the first program\n");
    return;
  }
  const Case which = options.program(*options.trace_program);
  say_traced(sim::trace_case(which, traced_clocks(options.trace), options.trace.path),
             fmt::format("seed {}", which.seed));
}

/// Ends the campaign at the first difference, and says how to run its case again.
[[noreturn]] void fail(std::uint64_t seed, const VerifyOptions& options) {
  std::fflush(stdout);
  throw std::runtime_error(fmt::format(
      "seed {} differs; run it again with `systole verify --programs 1 --seed {} --array {}{}{}`",
      seed, seed, options.array_size,
      options.bus_bytes == 0 ? "" : fmt::format(" --bus-bytes {}", options.bus_bytes),
      options.cores == 1 ? "" : fmt::format(" --cores {}", options.cores)));
}

/// Prints the difference and the minimised case, and ends the campaign saying how to rerun it.
[[noreturn]] void report(const Case& which, const Difference& difference,
                         const DeviceMaker& make_device, const VerifyOptions& options) {
  const Case smallest = minimise(which, make_device);
  fmt::print("{}\n", describe(smallest));
  fmt::print("difference: {}\n", difference.words);
  const auto after = check(smallest, make_device);
  if (after && after->words != difference.words) {
    fmt::print("as printed above: {}\n", after->words);
  }
  try_to_trace(options, [&] { trace_failure(smallest, after.value_or(difference), options); });
  fail(which.seed, options);
}

void require_traced_program(const VerifyOptions& options) {
  require_traceable(options.trace, options.array_size, options.bus_bytes);
  if (options.trace_program.value_or(0) < options.programs) return;
  throw UsageError(fmt::format("--trace-program {}: the run has {} programs, counted from 0",
                               *options.trace_program, options.programs));
}

/// Cases of several cores in a line.
void verify_line(const VerifyOptions& options, const DeviceMaker& make_device,
                 const JsonFile& json) {
  if (options.trace.asked() || options.bus_bytes != 0) {
    throw UsageError("--cores: cores in a line have no --trace and no --bus-bytes");
  }
  std::array<std::uint64_t, kLineEndings> endings{};
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < options.programs; ++i) {
    const LineCase which = make_line_case(options.seed + i, options.array_size, options.cores);
    ++endings[static_cast<std::size_t>(which.rounds.front().ending)];
    const auto difference = check(which, make_device);
    if (!difference) continue;
    fmt::print("{}\ndifference: {}\n", describe(which), difference->words);
    fail(which.seed, options);
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("compared         {} cores in a line: {}\n", options.cores,
             compared_devices(options.array_size));
  fmt::print("seeds            {} .. {}\n", options.seed, options.seed + options.programs - 1);
  fmt::print("differences      0\n");
  for (std::size_t i = 0; i < endings.size(); ++i) {
    fmt::print("first round      {}: {}\n", kLineEndingNames[i], endings[i]);
  }
  fmt::print("wall time        {:.1f} s measured\n", seconds);
  json.write({{"array", options.array_size},
              {"cores", options.cores},
              {"seed", options.seed},
              {"cases", options.programs},
              {"compared", compared_devices(options.array_size)},
              {"faults", options.programs - endings[static_cast<std::size_t>(LineEnding::kDone)]},
              {"differences", 0},
              {"wall_seconds", seconds}});
}

void run_verify(const VerifyOptions& options) {
  const JsonFile json(options.json_path);
  if (options.trace.asked()) require_traced_program(options);
  const DeviceMaker make_device =
      as_usage([&] { return verify_device(options.array_size, options.bus_bytes); });
  if (options.cores > 1) return verify_line(options, make_device, json);
  Coverage coverage;
  const auto start = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < options.programs; ++i) {
    const Case which = options.program(i);
    if (const auto difference = check(which, make_device, &coverage)) {
      report(which, *difference, make_device, options);
    }
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Totals& totals = coverage.totals();
  fmt::print("compared         {}\n", compared_devices(options.array_size, options.bus_bytes));
  fmt::print("seeds            {} .. {}, {} programs\n", options.seed,
             options.seed + options.programs - 1, totals.programs);
  fmt::print("differences      0\n");
  fmt::print("device work      {} commands, {} tiles, {} clocks\n", totals.commands, totals.tiles,
             totals.cycles);
  fmt::print("wall time        {:.1f} s measured\n", seconds);
  fmt::print("coverage         {} kinds never met\n", coverage.missing());
  if (!options.quiet) fmt::print("{}", coverage.table());
  json.write({{"array", options.array_size},
              {"bus_bytes", options.bus_bytes == 0 ? options.array_size : options.bus_bytes},
              {"seed", options.seed},
              {"cases", options.programs},
              {"compared", compared_devices(options.array_size, options.bus_bytes)},
              {"programs", totals.programs},
              {"commands", totals.commands},
              {"tiles", totals.tiles},
              {"clocks", totals.cycles},
              {"differences", 0},
              {"kinds_never_met", coverage.missing()},
              {"wall_seconds", seconds}});
  trace_chosen(options);
}

}  // namespace

void add_verify_command(CLI::App& app) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App* command = app.add_subcommand(
      "verify", "Run random programs on the accelerator's C++, its RTL and an interpreter");
  add_count(*command, "--programs", options->programs, "Cases to run, one seed each");
  add_seed_option(*command, options->seed);
  add_count(*command, "--array", options->array_size, "Array size N", "N");
  command
      ->add_option("--bus-bytes", options->bus_bytes,
                   "Bytes of the memory bus: N, 2 N or 4 N (default: N)")
      ->check(kPositiveWhole)
      ->type_name("BYTES");
  command
      ->add_option("--cores", options->cores,
                   "Cores in a line, which send each other words over links")
      ->check(CLI::Range(1, 8))
      ->type_name("COUNT")
      ->capture_default_str();
  add_json_option(*command, options->json_path);
  command->add_flag("--quiet", options->quiet, "Omit the table of what was covered");
  auto* trace = add_trace_options(*command, options->trace,
                                  "If a program differs, hangs or faults unexpectedly, write the "
                                  "signals of its RTL in the clocks before, for GTKWave",
                                  "program (from reset on)");
  command
      ->add_option("--trace-program", options->trace_program,
                   "If nothing differs, write the signals of this program, counted from 0")
      ->needs(trace)
      ->type_name("INDEX");
  command->footer(
      "A case is a memory with random latency, bandwidth and stalls, and a program of loads,\n"
      "products, stores and fences; every other case ends in a fault, and a second program must\n"
      "run after it. Native C++ and RTL must show the same signals in every clock, and leave\n"
      "memory and registers as the interpreter does. Case i has the seed S + i.\n"
      "\n"
      "Examples:\n"
      "  systole verify --programs 1000 --seed 1 --array 8 --trace difference.fst\n"
      "  systole verify --programs 1 --seed 17 --array 8 --trace program.fst --trace-program 0");
  command->callback([options] { run_verify(*options); });
}

}  // namespace systole
