// kernel_campaign: random kernels through hlsc and Verilator, beside their own C++.
//
//   kernel_campaign --kernels 10000 --seed 1 --json campaign.json
//   kernel_campaign --kernels 1 --seed 4711 --form module --keep      one kernel again
//   kernel_campaign --kernels 20 --form ciphers --batch 1             functions that are large
//   kernel_campaign --kernels 3000 --form loops                       functions over arrays
//   kernel_campaign --kernels 3000 --form networks                    dataflow() functions
//   kernel_campaign --kernels 100 --form wrong                        kernels that must be refused
//
// Exit codes: 0 every kernel compiled and agreed, at every port on every edge, or in all memories,
// outputs and promised clocks of every run; 1 some did not (each is written to the work folder),
// 2 wrong usage.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "hls/compiler/support/processor_time.h"
#include "tests/campaign/batch.h"

namespace {

using namespace systole::tests;

constexpr int kWrongUsage = 2;

struct Options {
  int kernels = 1000;
  std::uint64_t seed = 1;
  int batch = 24;  ///< more share what each start costs; hlsc's time grows faster than the design
  std::string form = "all";
  std::string json;
  bool keep = false;
};

/// Kernel i of a campaign has seed `seed + i`; with "all" its clocked form is chosen by its place.
std::vector<CampaignKernel> campaign_kernels(const Options& options) {
  std::vector<CampaignKernel> kernels;
  for (int i = 0; i < options.kernels; ++i) {
    Form form = kClockedForms[static_cast<std::size_t>(i) % std::size(kClockedForms)];
    for (const Form one : {Form::kFunction, Form::kModule, Form::kThread, Form::kCiphers,
                           Form::kLoops, Form::kNetworks, Form::kWrong}) {
      if (options.form == form_name(one)) form = one;
    }
    kernels.push_back({form, options.seed + static_cast<std::uint64_t>(i)});
  }
  return kernels;
}

void report(const CampaignFailure& failure, const std::filesystem::path& folder) {
  const char* form = form_name(failure.kernel.form);
  const auto file = folder / fmt::format("{}_{}.h", form, failure.kernel.seed);
  std::ofstream(file) << kernel_file(failure.kernel, "Kernel");
  fmt::print(
      "FAILED {} seed {}: {}\n  kernel {}\n  again  kernel_campaign --kernels 1 --form {} "
      "--seed {} --keep\n",
      form, failure.kernel.seed, failure.what, file.string(), form, failure.kernel.seed);
  std::fflush(stdout);
}

/// Of this program and of all that it ran.
double cpu_seconds() {
  using systole::compiler::processor_seconds;
  return processor_seconds(RUSAGE_SELF) + processor_seconds(RUSAGE_CHILDREN);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compares the RTL of random kernels with their C++: every port, every edge.");
  Options options;
  BatchTools tools{.hlsc = SYSTOLE_HLSC,
                   .verilator = SYSTOLE_VERILATOR,
                   .clang = SYSTOLE_CLANG,
                   .runtime = SYSTOLE_VERILATED_RUNTIME,
                   .verilator_root = SYSTOLE_VERILATOR_ROOT,
                   .source_dir = SYSTOLE_SOURCE_DIR,
                   .work_dir = std::filesystem::temp_directory_path() /
                               fmt::format("kernel_campaign_{}", getpid())};
  app.add_option("--kernels", options.kernels)
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the first kernel; the next has one more")
      ->capture_default_str();
  app.add_option("--form", options.form)
      ->check(CLI::IsMember(
          {"all", "function", "module", "thread", "ciphers", "loops", "networks", "wrong"}))
      ->capture_default_str();
  app.add_option("--edges", tools.edges, "compared for each clocked kernel")->capture_default_str();
  app.add_option("--runs", tools.runs, "of each function over arrays")->capture_default_str();
  app.add_option("--time-limit", tools.time_limit, "seconds of processor time that hlsc may take")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  app.add_option("--hlsc-options", tools.options, "words for hlsc, as '--clock-mhz 300'");
  app.add_option("--batch", options.batch, "kernels in one design")
      ->check(CLI::Range(1, 500))
      ->capture_default_str();
  app.add_option("--hlsc", tools.hlsc, "the compiler that is tried")->capture_default_str();
  app.add_option("--source-dir", tools.source_dir, "whose headers the kernels include")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str();
  app.add_option("--work-dir", tools.work_dir, "where the designs are built");
  app.add_option("--json", options.json, "writes the result there");
  app.add_flag("--keep", options.keep, "keeps the last design");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUsage;
  }
  // Else every kernel would fail, one by one.
  for (const std::string& file : {tools.hlsc, tools.runtime}) {
    if (std::filesystem::exists(file)) continue;
    fmt::print(stderr, "kernel_campaign: {} is missing; build the target kernel_campaign\n", file);
    return kWrongUsage;
  }
  SlowestCompile slowest;
  tools.slowest = &slowest;
  const auto start = std::chrono::steady_clock::now();
  const std::vector<CampaignKernel> kernels = campaign_kernels(options);
  std::filesystem::create_directories(tools.work_dir);
  for (const char* old : {"edges.h", "loops.h"}) {  // of other headers, perhaps
    std::filesystem::remove(tools.work_dir / old);
  }
  std::size_t failed = 0;
  std::map<Form, int> counts;
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (std::size_t at = 0; at < kernels.size(); at += static_cast<std::size_t>(options.batch)) {
    const std::size_t end = std::min(kernels.size(), at + static_cast<std::size_t>(options.batch));
    const std::vector<CampaignKernel> batch(kernels.begin() + static_cast<std::ptrdiff_t>(at),
                                            kernels.begin() + static_cast<std::ptrdiff_t>(end));
    for (const CampaignFailure& failure : run_batch(batch, tools)) {
      report(failure, tools.work_dir);
      ++failed;
    }
    for (const CampaignKernel& kernel : batch) ++counts[kernel.form];
    if (end % 1000 == 0) {
      fmt::print("{} kernels, {} failed, {:.0f} s\n", end, failed, seconds());
      std::fflush(stdout);
    }
  }
  nlohmann::ordered_json record = {
      {"form", options.form}, {"seed", options.seed}, {"cases", kernels.size()}};
  for (const auto& [form, count] : counts) record[form_name(form)] = count;
  if (options.form == "loops" || options.form == "networks") {
    record["runs"] = tools.runs;
  } else if (options.form != "wrong") {
    record["edges"] = tools.edges;
  }
  record["failed"] = failed;
  if (!slowest.what.empty()) {
    record["slowest_compile"] = {{"cpu_seconds", slowest.seconds}, {"kernels", slowest.what}};
    fmt::print("the slowest compile took {:.1f} CPU s: {}\n", slowest.seconds, slowest.what);
  }
  record["seconds"] = seconds();
  record["cpu_seconds"] = cpu_seconds();
  fmt::print("{} kernels, {} failed, {:.0f} s, {:.3f} CPU s a kernel\n{}\n", kernels.size(), failed,
             seconds(), cpu_seconds() / static_cast<double>(kernels.size()), record.dump());
  if (!options.json.empty()) std::ofstream(options.json) << record.dump(2) << "\n";
  std::error_code ignored;
  if (!options.keep) std::filesystem::remove_all(tools.work_dir / "batch", ignored);
  if (!options.keep && failed == 0) std::filesystem::remove_all(tools.work_dir, ignored);
  return failed == 0 ? 0 : 1;
}
