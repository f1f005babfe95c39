// loop_campaign: random functions over arrays through hlsc and Verilator, beside their own C++.
//
//   loop_campaign --kernels 3000 --seed 1
//   loop_campaign --kernels 1 --seed 4711 --keep      one kernel again
//
// Exit codes: 0 every kernel compiled, agreed in all memories and outputs, and took the clocks that
// its module promises; 1 some did not (each is written to the work folder); 2 wrong usage.

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/campaign/loop_writer.h"

namespace {

namespace fs = std::filesystem;
using systole::tests::Random;
using systole::tests::random_loops;

constexpr int kWrongUsage = 2;

struct Options {
  int kernels = 300;
  std::uint64_t seed = 1;
  int batch = 16;
  int runs = 12;
  std::string clock_mhz;
  bool keep = false;
  fs::path work_dir;
};

std::string read_file(const fs::path& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string kernel_file(std::uint64_t seed) {
  Random random(seed);
  return "#pragma once\n\n#include <algorithm>\n\n#include \"systole/hls/int.h\"\n#include "
         "\"systole/hls/int_operators.h\"\n#include \"systole/hls/kernel.h\"\n#include "
         "\"systole/hls/pipeline.h\"\n#include \"systole/hls/vec.h\"\n"
         "#include \"tests/campaign/loop_units.h\"\n\n"
         "namespace systole::tests {\n\nusing namespace systole::hls;\n\n" +
         random_loops(random, fmt::format("kernel{}", seed)) + "}  // namespace systole::tests\n";
}

/// Kernels that share one driver, since compiling it costs most.
class Batch {
 public:
  explicit Batch(const Options& options) : options_(options), folder_(options.work_dir / "batch") {}

  /// The kernels that failed.
  int run(std::uint64_t first, int count) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    failed_ = 0;
    std::vector<std::uint64_t> built;
    for (int i = 0; i < count; ++i) {
      if (build(first + static_cast<std::uint64_t>(i)))
        built.push_back(first + static_cast<std::uint64_t>(i));
    }
    if (!built.empty()) simulate(built);
    return failed_;
  }

 private:
  bool build(std::uint64_t seed) {
    const std::string name = fmt::format("k{}", seed);
    std::ofstream(folder_ / (name + ".h")) << kernel_file(seed);
    const std::string clock =
        options_.clock_mhz.empty() ? "" : "--timing-allow-fail --clock-mhz " + options_.clock_mhz;
    const bool done =
        step(fmt::format(
            "timeout 300 {0} {1}.h --top systole::tests::kernel{2} -I {3} -I {3}/hls/include "
            "{4} -o {1}.sv 2>&1",
            SYSTOLE_HLSC, name, seed, SYSTOLE_SOURCE_DIR, clock)) &&
        step(fmt::format("cmake -DRTL={0}.sv -DNAME={0} -DFLAT={0}_flat.sv -DPORTS={0}_ports.h -P "
                         "{1}/cmake/flat_top.cmake",
                         name, SYSTOLE_SOURCE_DIR)) &&
        step(fmt::format(
            "{0} --cc -O1 -Wall -Wno-DECLFILENAME -Wno-UNUSED --x-initial unique "
            "--top-module flat --prefix V{1} --Mdir . {1}_flat.sv {1}.sv -y {2}/rtl/cells",
            SYSTOLE_VERILATOR, name, SYSTOLE_SOURCE_DIR));
    if (!done) fail(seed, read_file(folder_ / "log.txt").substr(0, 600));
    return done;
  }

  void simulate(const std::vector<std::uint64_t>& seeds) {
    std::ofstream driver(folder_ / "driver.cpp");
    driver
        << "#include <algorithm>\n#include <cstdio>\n#include \"systole/cosim/kernel_bench.h\"\n";
    for (const std::uint64_t seed : seeds) {
      driver << fmt::format(
          "#include \"k{0}.h\"\n#include \"Vk{0}.h\"\n#include \"k{0}_ports.h\"\n", seed);
    }
    driver << "using namespace systole;\nint main() {\n";
    for (const std::uint64_t seed : seeds) {
      driver << fmt::format(
          "  {{\n    const auto result = cosim::KernelBench<Vk{0}, "
          "&tests::kernel{0}>::run(kk{0}Inputs, "
          "kk{0}Outputs, kk{0}Parameters, kk{0}Clocks, nullptr, {{.seed = {0}, .runs = {1}}});\n"
          "    std::printf(\"{0} %s\\n\", result.difference.c_str());\n    std::fflush(stdout);\n  "
          "}}\n",
          seed, options_.runs);
    }
    driver << "}\n";
    driver.close();
    // The C++ is the oracle, so it must do nothing undefined.
    const std::string built = fmt::format(
        "for one in Vk*.cpp; do echo \"#include \\\"$one\\\"\"; done > all.cc && "
        "{0} -std=c++20 -O0 -w -isystem {1}/include -isystem {1}/include/vltstd -c all.cc -o all.o "
        "&& "
        "{0} -std=c++20 -O0 -w -fsanitize=address,undefined -fstrict-flex-arrays=3 "
        "-fno-sanitize-recover=all -I {2} -I {2}/hls/include -I . -isystem {1}/include "
        "-isystem {1}/include/vltstd driver.cpp all.o {3} -pthread -o driver",
        SYSTOLE_CLANG, SYSTOLE_VERILATOR_ROOT, SYSTOLE_SOURCE_DIR, SYSTOLE_VERILATED_RUNTIME);
    const bool ran = step(built) && step("timeout 600 ./driver > result.txt");
    std::ifstream results(folder_ / "result.txt");
    std::size_t seen = 0;
    for (std::string line; std::getline(results, line); ++seen) {
      const std::size_t space = line.find(' ');
      if (space + 1 < line.size()) fail(std::stoull(line.substr(0, space)), line.substr(space + 1));
    }
    if (!ran && seen < seeds.size())
      fail(seeds[seen], read_file(folder_ / "log.txt").substr(0, 600));
  }

  void fail(std::uint64_t seed, const std::string& what) {
    ++failed_;
    const fs::path file = options_.work_dir / fmt::format("loops_{}.h", seed);
    std::ofstream(file) << kernel_file(seed);
    fmt::print("FAILED seed {}: {}\n  kernel {}\n", seed, what, file.string());
    std::fflush(stdout);
  }

  bool step(const std::string& command) const {
    const int status = std::system(
        fmt::format("cd {} && {{ {}; }} > log.txt 2>&1", folder_.string(), command).c_str());
    return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  const Options& options_;
  fs::path folder_;
  int failed_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compares the RTL of random functions over arrays with their C++.");
  Options options;
  options.work_dir = fs::temp_directory_path() / fmt::format("loop_campaign_{}", getpid());
  app.add_option("--kernels", options.kernels)
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the first kernel; the next has one more")
      ->capture_default_str();
  app.add_option("--batch", options.batch, "kernels in one driver")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  app.add_option("--runs", options.runs, "of each kernel")->capture_default_str();
  app.add_option("--clock-mhz", options.clock_mhz, "more clocks in a loop the faster it is");
  app.add_option("--work-dir", options.work_dir, "where the designs are built");
  app.add_flag("--keep", options.keep, "keeps the last design");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongUsage;
  }
  int failed = 0;
  Batch batch(options);
  for (int at = 0; at < options.kernels; at += options.batch) {
    failed += batch.run(options.seed + static_cast<std::uint64_t>(at),
                        std::min(options.batch, options.kernels - at));
  }
  fmt::print("{} kernels of loops, {} runs each, {} failed\n", options.kernels, options.runs,
             failed);
  std::error_code ignored;
  if (!options.keep) fs::remove_all(options.work_dir / "batch", ignored);
  if (!options.keep && failed == 0) fs::remove_all(options.work_dir, ignored);
  return failed == 0 ? 0 : 1;
}
