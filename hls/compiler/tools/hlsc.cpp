// hlsc: HLS C++ to SystemVerilog. See docs/architecture.md and `hlsc --help`.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "hls/compiler/compiler.h"
#include "hls/compiler/support/diagnostic.h"

namespace {

namespace compiler = systole::compiler;

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

/// Writes by rename, so that a reader never sees half a file.
void write_file(const std::filesystem::path& path, const std::string& text) {
  const std::filesystem::path part = path.string() + fmt::format(".{}.part", getpid());
  std::ofstream stream(part);
  stream << text;
  stream.close();
  std::error_code error;
  if (stream) std::filesystem::rename(part, path, error);
  if (!stream || error) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw std::runtime_error(
        fmt::format("cannot write {}; check that its folder exists and is "
                    "writable",
                    path.string()));
  }
}

nlohmann::ordered_json report(const std::vector<compiler::GeneratedModule>& modules) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const compiler::GeneratedModule& module : modules) {
    nlohmann::ordered_json pipelines = nlohmann::ordered_json::array();
    for (const compiler::PipelineReport& pipeline : module.pipelines) {
      pipelines.push_back({{"function", pipeline.function},
                           {"stages", pipeline.stages},
                           {"initiation_interval", 1},
                           {"lanes", pipeline.lanes},
                           {"register_bits_per_lane", pipeline.register_bits},
                           {"stage_ns_estimated", pipeline.stage_ns}});
    }
    list.push_back(
        {{"module", module.name}, {"instances", module.instances}, {"pipelines", pipelines}});
  }
  return {{"hlsc", compiler::version()}, {"modules", list}};
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
  app.add_option("-I,--include", source.include_folders, "folders that #include searches");
  auto* to_file = app.add_option("-o,--output", output, "one file for all modules");
  app.add_option("--output-dir", output_dir, "a folder: one file per module")->excludes(to_file);
  compiler::PipelineGoal goal;
  auto* stages = app.add_option("--stages", goal.stages,
                                "the top is a function: pipeline it into this many stages")
                     ->check(CLI::Range(1, 64));
  app.add_option("--clock-mhz", goal.clock_mhz,
                 "the top is a function: the fewest stages that reach this clock (estimated)")
      ->check(CLI::Range(1.0, 2000.0))
      ->excludes(stages);
  app.add_option("--report", report_file, "writes stages, registers and estimated delays as JSON");
  app.add_option("--clang", source.clang, "the clang++ 19 that reads the kernel");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    fmt::print(stderr, "hlsc: {}; see hlsc --help\n", error.what());
    return kWrongUsage;
  }
  try {
    const bool is_function = goal.stages > 0 || goal.clock_mhz > 0;
    const std::vector<compiler::GeneratedModule> modules =
        is_function ? std::vector{compiler::generate_function(source, goal)}
                    : compiler::generate(source);
    std::string all;
    for (const compiler::GeneratedModule& module : modules) {
      if (!output_dir.empty()) {
        write_file(std::filesystem::path(output_dir) / (module.name + ".sv"), module.text);
      }
      all += (all.empty() ? "" : "\n") + module.text;
    }
    if (!output.empty()) write_file(output, all);
    if (output.empty() && output_dir.empty()) std::fputs(all.c_str(), stdout);
    if (!report_file.empty()) write_file(report_file, report(modules).dump(2) + "\n");
    return 0;
  } catch (const compiler::Refusal& refusal) {
    fmt::print(stderr, "hlsc: error: {}\n", refusal.what());
    return kFailed;
  } catch (const std::exception& error) {
    fmt::print(stderr, "hlsc: {}\n", error.what());
    return kFailed;
  }
}
