#include "tests/campaign/loop_batch.h"

#include <fmt/format.h>

#include <fstream>

#include "tests/campaign/design.h"

namespace systole::tests {
namespace {

/// What every driver includes.
std::string common() {
  return "#include <algorithm>\n#include <cstdio>\n\n#include \"systole/cosim/kernel_bench.h\"\n" +
         std::string(kLoopHeaders);
}

/// The driver prints a line for each kernel: its first difference, if any.
std::string driver_of(const std::vector<CampaignKernel>& kernels, int runs) {
  std::string includes = "#include \"../loops.h\"\n";
  std::string calls;
  for (const CampaignKernel& kernel : kernels) {
    includes += fmt::format(
        "#include \"k{0}.h\"\n#include \"Vk{0}.h\"\n#include \"k{0}_ports.h\"\n", kernel.seed);
    calls += fmt::format(
        "  {{\n    const auto result = cosim::KernelBench<Vk{0}, &tests::k{0}>::run(kk{0}Inputs, "
        "kk{0}Outputs, kk{0}Parameters, kk{0}Clocks, nullptr, {{.seed = {0}, .runs = {1}}});\n"
        "    std::printf(\"%s\\n\", result.difference.c_str());\n  }}\n",
        kernel.seed, runs);
  }
  return includes + "using namespace systole;\nint main() {\n" + calls + "}\n";
}

}  // namespace

BatchOutcome run_loops(const std::vector<CampaignKernel>& kernels, const BatchTools& tools) {
  const Design design(tools);
  std::vector<CampaignFailure> failures;
  std::vector<CampaignKernel> built;
  for (const CampaignKernel& kernel : kernels) {
    const std::string name = fmt::format("k{}", kernel.seed);
    std::ofstream(design.folder() / (name + ".h")) << kernel_file(kernel, name);
    if (design.compile(name, name,
                       fmt::format("{} seed {}", form_name(kernel.form), kernel.seed)) &&
        design.verilate(name)) {
      built.push_back(kernel);
    } else {
      failures.push_back({kernel, design.log()});
    }
  }
  if (built.empty()) return {.broken = "", .failures = failures};
  std::ofstream(design.folder() / "driver.cpp") << driver_of(built, tools.runs);
  if (!design.build_driver("loops", common()) ||
      !design.step("timeout 600 ./driver > result.txt")) {
    return {.broken = design.log(), .failures = {}};
  }
  std::ifstream results(design.folder() / "result.txt");
  std::string difference;
  for (const CampaignKernel& kernel : built) {
    std::getline(results, difference);
    if (!difference.empty()) failures.push_back({kernel, difference});
  }
  return {.broken = "", .failures = failures};
}

}  // namespace systole::tests
