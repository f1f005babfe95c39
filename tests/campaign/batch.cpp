#include "tests/campaign/batch.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace systole::tests {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream stream(path);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// The design of a batch: every kernel is a submodule, k0, k1, ... with its ports.
std::string batch_struct(const std::vector<std::string>& names) {
  std::string inputs;
  std::string outputs;
  std::string visits;
  std::string clocks;
  std::string resets;
  std::string members;
  for (std::size_t i = 0; i < names.size(); ++i) {
    inputs += fmt::format("    {}::Inputs k{};\n", names[i], i);
    outputs += fmt::format("    {}::Outputs k{};\n", names[i], i);
    visits += fmt::format(" visit(k{});", i);
    clocks += fmt::format("{}.k{} = k{}_.clock(in.k{})", i == 0 ? "" : ",\n            ", i, i, i);
    resets += fmt::format("    reset_if(k{}_);\n", i);
    members += fmt::format("  {} k{}_;\n", names[i], i);
  }
  const std::string each = fmt::format(
      "    template <typename Visit>\n    void each_field(Visit&& visit) {{{0} }}\n"
      "    template <typename Visit>\n    void each_field(Visit&& visit) const {{{0} }}\n",
      visits);
  return fmt::format(
      "template <typename Kernel>\nvoid reset_if(Kernel& kernel) {{\n"
      "  if constexpr (requires {{ kernel.reset(); }}) kernel.reset();\n}}\n\n"
      "struct Batch {{\n  struct Inputs {{\n{0}{2}  }};\n  struct Outputs {{\n{1}{2}  }};\n"
      "  Outputs clock(const Inputs& in) {{\n    return {{{3}}};\n  }}\n"
      "  void reset() {{\n{4}  }}\n\n private:\n{5}}};\n",
      inputs, outputs, each, clocks, resets, members);
}

}  // namespace

std::string file_of(const std::string& kernels) {
  return "#pragma once\n\n#include <algorithm>\n\n#include \"systole/hls/int.h\"\n"
         "#include \"systole/hls/divide.h\"\n#include \"systole/hls/pipeline.h\"\n"
         "#include \"systole/hls/ram.h\"\n#include \"systole/hls/stream_pipeline.h\"\n"
         "#include \"systole/hls/thread.h\"\n#include \"systole/hls/thread_ends.h\"\n"
         "#include \"systole/hls/vec.h\"\n\nnamespace "
         "systole::tests {\n\n"
         "using namespace systole::hls;\n\n" +
         kernels + "}  // namespace systole::tests\n";
}

namespace {

/// What every driver includes, compiled once.
constexpr const char* kCommon = R"(#include <verilated.h>

#include <algorithm>
#include <cstdio>

#include "systole/cosim/lockstep.h"
#include "systole/hls/divide.h"
#include "systole/hls/int.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/ram.h"
#include "systole/hls/stream_pipeline.h"
#include "systole/hls/thread.h"
#include "systole/hls/thread_ends.h"
#include "systole/hls/vec.h"
)";

/// The ranges of the kernels' enums, as a user may state them: finding one by its names costs a
/// compiler a tenth of a second, and more in all than everything else in the driver.
std::string enum_ranges(const std::string& kernels) {
  static const std::regex kEnum(R"(enum class (\w+)[^{]*\{([^}]*)\})"), kValue(R"(= (-?\d+))");
  std::string ranges;
  for (std::sregex_iterator one(kernels.begin(), kernels.end(), kEnum), end; one != end; ++one) {
    const std::string list = (*one)[2];
    int low = 0;
    int high = 0;
    for (std::sregex_iterator value(list.begin(), list.end(), kValue); value != end; ++value) {
      low = std::min(low, std::stoi((*value)[1]));
      high = std::max(high, std::stoi((*value)[1]));
    }
    ranges += fmt::format(
        "template <>\ninline constexpr systole::cosim::EnumRange "
        "systole::cosim::kEnumRange<systole::tests::{}> = {{{}, {}}};\n",
        (*one)[1].str(), low, high);
  }
  return ranges;
}

constexpr const char* kDriver = R"(#include "../common.h"

#include <Vbatch.h>

#include "kernels.h"
#include "ports.h"

{}
int main() {{
  using namespace systole;
  const auto result = cosim::Lockstep<Vbatch, tests::Batch>::run(
      kBatchInputs, kBatchOutputs,
      {{.seed = {}, .edges = {}, .random_registers = false}});
  for (const auto& mismatch : result.mismatches) {{
    std::printf("%s\n%s\n", mismatch.port.c_str(), mismatch.message.c_str());
  }}
}}
)";

/// One design being built and run in a folder of its own.
class Batch {
 public:
  Batch(const std::vector<CampaignKernel>& kernels, const BatchTools& tools)
      : kernels_(kernels), tools_(tools), folder_(tools.work_dir / "batch") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }

  /// The first step that failed; "" when everything was built and run.
  std::string build_and_run() {
    write();
    const std::string source = tools_.source_dir.string();
    const std::string headers = fmt::format("-I {0} -I {0}/hls/include -I .", source);
    if (!step(fmt::format("timeout 600 {} kernels.h --top tests::Batch {} -o batch.sv", tools_.hlsc,
                          headers))) {
      return "hlsc: " + log();
    }
    if (!step(fmt::format("cmake -DRTL=batch.sv -DNAME=Batch -DFLAT=flat.sv -DPORTS=ports.h "
                          "-P {}/cmake/flat_top.cmake",
                          source))) {
      return "flat_top: " + log();
    }
    if (!step(fmt::format(
            "{} --cc -O1 -Wall -Wno-DECLFILENAME -Wno-UNUSED --x-initial unique --top-module flat "
            "--prefix Vbatch --Mdir . flat.sv batch.sv {}/rtl/cells/*.sv && "
            "for one in Vbatch*.cpp; do echo \"#include \\\"$one\\\"\"; done > all.cc",
            tools_.verilator, source))) {
      return "verilator: " + log();
    }
    // The C++ is the oracle, so it must do nothing undefined: where it reads past an array, both
    // sides may do the same.
    const std::string clang = fmt::format(
        "{0} -std=c++20 -O0 -w -fsanitize=address,undefined -fstrict-flex-arrays=3 "
        "-fno-sanitize-recover=all {1} -isystem {2}/include -isystem {2}/include/vltstd",
        tools_.clang, headers, tools_.verilator_root);
    const std::string model = fmt::format("{} -std=c++20 -O0 -w -isystem {}/include", tools_.clang,
                                          tools_.verilator_root);
    if (!fs::exists(tools_.work_dir / "common.h.pch") &&
        !step(fmt::format("{} -x c++-header ../common.h -o ../common.h.pch && "
                          "{} -x c++-header {}/include/verilated.h -o ../verilated.h.pch",
                          clang, model, tools_.verilator_root))) {
      return "C++: " + log();
    }
    if (!step(fmt::format("{} -c -include-pch ../common.h.pch driver.cpp -o driver.o && "
                          "{} -c -include-pch ../verilated.h.pch all.cc -o all.o && "
                          "{} all.o driver.o {} -pthread -o driver",
                          clang, model, clang, tools_.runtime))) {
      return "C++: " + log();
    }
    if (!step("timeout 600 ./driver > result.txt")) return "simulation: " + log();
    return "";
  }

  /// What differed, kernel by kernel, first port only.
  std::vector<CampaignFailure> differences() const {
    std::vector<CampaignFailure> failures;
    std::vector<bool> seen(kernels_.size());
    std::ifstream result(folder_ / "result.txt");
    std::string port;
    std::string message;
    while (std::getline(result, port) && std::getline(result, message)) {
      const auto kernel = static_cast<std::size_t>(std::stoul(port.substr(1)));
      if (seen.at(kernel)) continue;
      seen[kernel] = true;
      failures.push_back({kernels_[kernel], message});
    }
    return failures;
  }

 private:
  void write() const {
    std::string text;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      names.push_back(fmt::format("Kernel{}", i));
      text += random_kernel(kernels_[i].form, kernels_[i].seed, names.back()).text;
    }
    const fs::path common = tools_.work_dir / "common.h";
    if (!fs::exists(common)) std::ofstream(common) << kCommon;
    std::ofstream(folder_ / "kernels.h") << file_of(text + batch_struct(names));
    std::ofstream(folder_ / "driver.cpp") << fmt::format(
        kDriver, enum_ranges(text), kernels_.front().seed % 1'000'000'007, tools_.edges);
  }

  bool step(const std::string& command) const {
    const int status = std::system(
        fmt::format("cd {} && {{ {}; }} > log.txt 2>&1", folder_.string(), command).c_str());
    if (status == -1) throw std::runtime_error("cannot run a shell");
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

  std::string log() const {
    const std::string text = read_file(folder_ / "log.txt");
    return text.empty() ? "ended without a word" : text.substr(0, 600);
  }

  const std::vector<CampaignKernel>& kernels_;
  const BatchTools& tools_;
  fs::path folder_;
};

}  // namespace

std::vector<CampaignFailure> run_batch(const std::vector<CampaignKernel>& kernels,
                                       const BatchTools& tools) {
  if (kernels.empty()) return {};
  Batch batch(kernels, tools);
  const std::string broken = batch.build_and_run();
  if (broken.empty()) return batch.differences();
  if (kernels.size() == 1) return {{kernels.front(), broken}};
  const auto middle = kernels.begin() + static_cast<std::ptrdiff_t>(kernels.size() / 2);
  std::vector<CampaignFailure> failures = run_batch({kernels.begin(), middle}, tools);
  const std::vector<CampaignFailure> more = run_batch({middle, kernels.end()}, tools);
  failures.insert(failures.end(), more.begin(), more.end());
  return failures;
}

std::string kernel_file(const CampaignKernel& kernel) {
  return file_of(random_kernel(kernel.form, kernel.seed, "Kernel").text);
}

}  // namespace systole::tests
