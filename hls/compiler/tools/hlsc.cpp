// hlsc: HLS C++ to SystemVerilog. See docs/architecture.md and `hlsc --help`.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>

#include "hls/compiler/compiler.h"
#include "hls/compiler/frontend/installed_headers.h"
#include "hls/compiler/interface/lite_interface.h"
#include "hls/compiler/lower/pass.h"
#include "hls/compiler/lower/pass_trace.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/internal_error.h"
#include "hls/compiler/support/progress.h"

namespace {

namespace compiler = systole::compiler;

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

/// Ten times the longest compile that is known, of the largest designs in this tree.
constexpr int kTimeLimit = 300;

/// Writes by rename, so that a reader never sees half a file; through a link, or to what is no
/// file, such as /dev/stdout, directly.
void write_file(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  const auto status = std::filesystem::symlink_status(path, error);
  const bool direct = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  const std::filesystem::path part =
      direct ? path : std::filesystem::path(path.string() + fmt::format(".{}.part", getpid()));
  std::ofstream stream(part);
  stream << text;
  stream.close();
  error.clear();
  if (direct && stream) return;
  if (stream) std::filesystem::rename(part, path, error);
  if (!stream || error) {
    std::error_code ignored;
    if (!direct) std::filesystem::remove(part, ignored);
    throw compiler::Refusal(
        fmt::format("cannot write {}; check that its folder exists and is "
                    "writable",
                    path.string()));
  }
}

void list_passes() {
  for (const compiler::Pass& pass : compiler::passes()) {
    fmt::print("{:<23} {}\n", pass.name, pass.what);
  }
}

/// The kernel as one file, and above it how to compile it.
std::string reproducer(const compiler::Source& source, int argc, char** argv) {
  std::string command = "hlsc";
  for (int i = 1; i < argc; ++i) command += fmt::format(" '{}'", argv[i]);
  return fmt::format("// hlsc {}: {}\n{}", compiler::version(), command,
                     compiler::reproducer(source));
}

/// A function as a pipeline if a number of stages or a clock is given, and the top is a function.
std::vector<compiler::GeneratedModule> generate_module(const compiler::Source& source,
                                                       const compiler::PipelineGoal& goal,
                                                       const std::string& target,
                                                       bool times_paths) {
  if (goal.stages > 0) return {compiler::generate_function(source, goal, target)};
  if (goal.clock_mhz == 0) {
    return compiler::generate(source, target,
                              times_paths ? compiler::Paths::kTime : compiler::Paths::kLeaveOut);
  }
  try {
    return {compiler::generate_function(source, goal, target)};
  } catch (const compiler::NoSuchTop& no_function) {
    try {
      return compiler::generate(source, target, compiler::Paths::kTime);
    } catch (const compiler::NoSuchTop&) {
      throw no_function;
    }
  }
}

/// What the top is: a module, a thread, a pure function, or a function over arrays.
std::vector<compiler::GeneratedModule> generate(const compiler::Source& source,
                                                const compiler::PipelineGoal& goal,
                                                const std::string& target, bool times_paths,
                                                bool overlaps) {
  try {
    return generate_module(source, goal, target, times_paths);
  } catch (const compiler::NoSuchTop&) {
    if (goal.stages > 0) throw;
    const std::exception_ptr no_top = std::current_exception();
    try {
      return compiler::generate_kernel(source, {.clock_mhz = goal.clock_mhz, .overlaps = overlaps},
                                       target);
    } catch (const compiler::NoSuchTop&) {
      std::rethrow_exception(no_top);
    }
  }
}

std::string parent_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path().string() : ".";
}

/// The registers, the device and, in the folder, the files for its users.
void add_interface(const compiler::Source& source, const std::string& target,
                   const std::filesystem::path& folder,
                   std::vector<compiler::GeneratedModule>& modules, compiler::Progress& progress) {
  if (folder.empty()) {
    throw compiler::Refusal("--interface writes several files; say where with --output-dir or -o");
  }
  if (modules.back().report.kernels.empty()) {
    throw compiler::Refusal(fmt::format(
        "{}: {} is no function over arrays, which --interface is for; wire its ports in a module "
        "of your own",
        source.file, source.top));
  }
  compiler::LiteInterface made = compiler::lite_interface(source, modules.back(), target);
  for (compiler::GeneratedModule& module : made.modules) modules.push_back(std::move(module));
  progress.finish();              // files are written whole
  std::error_code unless_exists;  // write_file() says what is wrong
  std::filesystem::create_directories(folder, unless_exists);
  for (const auto& [name, text] : made.files) write_file(folder / name, text);
}

void draw_schedule(const std::vector<compiler::GeneratedModule>& modules, const std::string& file,
                   const compiler::Source& source) {
  // The function itself comes after its engines or processes, and before its device.
  const auto drawn = std::find_if(modules.rbegin(), modules.rend(), [](const auto& module) {
    return !module.report.kernels.empty();
  });
  if (drawn == modules.rend()) {
    throw compiler::Refusal(
        fmt::format("{}: {} is no function over arrays, whose loops --schedule-svg draws; "
                    "--emit-schedule prints a pipeline's stages",
                    source.file, source.top));
  }
  write_file(file, compiler::as_svg(drawn->report.kernels.front()));
}

/// Runs the work and says what went wrong, in one place for every way in which it can.
int report_errors(const compiler::Source& source, const std::function<int()>& work) {
  try {
    return work();
  } catch (const compiler::Stopped& stopped) {
    fmt::print("{}", stopped.what());
    return 0;
  } catch (const compiler::Refusal& refusal) {
    const std::string message = compiler::at_users_place(refusal.what(), source.file);
    fmt::print(stderr, "hlsc: error: {}\n", compiler::with_source_lines(message));
    return kFailed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}", compiler::internal_error_line(error.what()));
    return compiler::kInternalError;
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Compiles a clocked module or pipeline in HLS C++ to SystemVerilog.\n\n"
      "Example: hlsc hls/kernels/matrix_unit.h --top 'MatrixUnit<16, 512>' -I . -I hls/include\n"
      "  --output-dir rtl\n"
      "writes one file per module: the top and every submodule below it.\n\n"
      "Example: hlsc hls/kernels/mac.h --top mac --stages 5 -I . -I hls/include -o mac.sv"};
  app.set_version_flag("--version", compiler::version());
  compiler::Source source;
  source.clang = "clang++-19";
  std::string output;
  std::string output_dir;
  std::string report_file;
  app.add_option("kernel", source.file, "the .h or .cpp that defines the top")->required();
  app.add_option("--top", source.top, "C++ type of the top module, or name of a pure function")
      ->required();
  app.add_option("-I,--include", source.include_folders,
                 "folders that #include searches; those of the installed package are known");
  auto* to_file = app.add_option("-o,--output", output, "one file for all modules");
  app.add_option("--output-dir", output_dir, "a folder: one file per module")->excludes(to_file);
  compiler::PipelineGoal goal;
  auto* stages = app.add_option("--stages", goal.stages,
                                "the top is a function: pipeline it into this many stages")
                     ->check(CLI::Range(1, 64));
  app.add_option("--clock-mhz", goal.clock_mhz,
                 "a function's fewest stages that reach this clock; what every path of any other "
                 "top must reach (estimated)")
      ->check(CLI::Range(1.0, 2000.0))
      ->excludes(stages);
  bool one_by_one = false;
  app.add_flag("--sequential", one_by_one,
               "a function over arrays: no loop's iterations overlap, for comparison");
  std::string interface;
  app.add_option(
         "--interface", interface,
         "axi4lite puts a function over arrays behind registers: also writes the device, and "
         "beside it the registers as JSON and as a page, and a C++ driver")
      ->check(CLI::IsMember({"axi4lite"}));
  std::string target = compiler::kDefaultTarget;
  app.add_option("--target", target, "whose delays cut pipelines: generic, ecp5, xc7 or xcup");
  app.add_option("--report", report_file,
                 "writes stages, registers, delays and area (estimated) as JSON; - prints it");
  bool shows_timing = false;
  app.add_flag("--timing", shows_timing,
               "prints each module's slowest paths by source line instead of SystemVerilog");
  bool may_fail_timing = false;
  app.add_flag("--timing-allow-fail", may_fail_timing,
               "a path that misses --clock-mhz is a warning, and no error");
  bool shows_table = false;
  app.add_flag("--table", shows_table, "prints the report as a table instead of SystemVerilog");
  bool shows_schedule = false;
  app.add_flag("--emit-schedule", shows_schedule,
               "prints each pipeline's operations by stage instead of SystemVerilog");
  std::string schedule_svg;
  app.add_option("--schedule-svg", schedule_svg,
                 "a function over arrays: draws its operations, clock by clock, as SVG");
  app.add_option("--clang", source.clang, "the clang++ 19 that reads the kernel");
  compiler::PassTrace trace;
  app.add_option("--print-after", trace.print_after,
                 "prints the IR after these passes (or all) to standard error")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--stop-after", trace.stop_after,
                 "prints the top's IR after this pass, and compiles no further");
  app.add_flag_callback(
      "--list-passes",
      [] {
        list_passes();
        throw CLI::Success();
      },
      "the passes, in order");
  std::string reproducer_file;
  app.add_option("--emit-reproducer", reproducer_file,
                 "writes the kernel and all that it includes to one file, for a report");
  int time_limit = kTimeLimit;
  app.add_option(
         "--time-limit", time_limit,
         "seconds of processor time after which hlsc ends with exit code 4, without output, "
         "and says what it was doing; 0 for none")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    fmt::print(stderr, "hlsc: {}; see hlsc --help\n", error.what());
    return kWrongUsage;
  }
  compiler::Progress progress{std::chrono::seconds(time_limit)};
  return compiler::run_guarded([&] {
    return report_errors(source, [&] {
      for (const std::string& folder : compiler::installed_headers()) {
        source.include_folders.push_back(folder);
      }
      compiler::trace_passes(trace);
      if (!reproducer_file.empty()) write_file(reproducer_file, reproducer(source, argc, argv));
      std::vector<compiler::GeneratedModule> modules =
          generate(source, goal, target, shows_timing, !one_by_one);
      if (!interface.empty()) {
        const std::filesystem::path folder = output.empty() ? output_dir : parent_of(output);
        add_interface(source, target, folder, modules, progress);
      }
      progress.finish();  // files are written whole
      const compiler::Report report = compiler::report(modules, target, goal.clock_mhz);
      if (const std::string missed = compiler::missed_clock(report); !missed.empty()) {
        if (!may_fail_timing) throw compiler::Refusal(missed);
        fmt::print(stderr, "hlsc: warning: {}\n", missed);
      }
      if (!schedule_svg.empty()) draw_schedule(modules, schedule_svg, source);
      std::string all;
      std::error_code unless_exists;  // write_file() says what is wrong
      if (!output_dir.empty()) std::filesystem::create_directories(output_dir, unless_exists);
      for (const compiler::GeneratedModule& module : modules) {
        if (!output_dir.empty()) {
          write_file(std::filesystem::path(output_dir) / (module.name + ".sv"), module.text);
        }
        all += (all.empty() ? "" : "\n") + module.text;
      }
      if (!output.empty()) write_file(output, all);
      std::string shown;
      if (report_file == "-") shown += compiler::as_json(report);
      if (shows_timing) shown += compiler::as_timing(report);
      if (shows_table) shown += compiler::as_table(report);
      if (shows_schedule) shown += compiler::as_schedule(report);
      if (shown.empty() && output.empty() && output_dir.empty()) shown = all;
      std::fputs(shown.c_str(), stdout);
      if (!report_file.empty() && report_file != "-") {
        write_file(report_file, compiler::as_json(report));
      }
      return 0;
    });
  });
}
