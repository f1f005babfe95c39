#include "tests/campaign/clocked_batch.h"

#include <fmt/format.h>

#include <fstream>
#include <regex>

#include "tests/campaign/design.h"

namespace systole::tests {
namespace {

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

/// What every driver includes.
std::string common() {
  return "#include <verilated.h>\n\n#include <algorithm>\n#include <cstdio>\n\n#include "
         "\"systole/cosim/lockstep.h\"\n" +
         std::string(kClockedHeaders);
}

/// The ranges of the kernels' enums, as a user may state them: finding one by its names costs a
/// compiler a tenth of a second, and more in all than everything else in the driver.
std::string enum_ranges(const std::string& kernels) {
  // Those of class templates give no values, and are found by their names.
  static const std::regex kEnum(R"(enum class (\w+)[^{]*\{([^}]*=[^}]*)\})"),
      kValue(R"(= (-?\d+))");
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

constexpr const char* kDriver = R"(#include "../edges.h"

#include <Vbatch.h>

#include "batch.h"
#include "batch_ports.h"

{}
int main() {{
  using namespace systole;
  const auto result = cosim::Lockstep<Vbatch, tests::Batch>::run(
      kbatchInputs, kbatchOutputs,
      {{.seed = {}, .edges = {}, .random_registers = false}});
  for (const auto& mismatch : result.mismatches) {{
    std::printf("%s\n%s\n", mismatch.port.c_str(), mismatch.message.c_str());
  }}
}}
)";

}  // namespace

BatchOutcome run_clocked(const std::vector<CampaignKernel>& kernels, const BatchTools& tools) {
  const Design design(tools);
  std::string text;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    names.push_back(fmt::format("Kernel{}", i));
    text += random_kernel(kernels[i].form, kernels[i].seed, names.back()).text;
  }
  std::ofstream(design.folder() / "batch.h")
      << file_of(kClockedHeaders, text + batch_struct(names));
  std::ofstream(design.folder() / "driver.cpp")
      << fmt::format(kDriver, enum_ranges(text), kernels.front().seed % 1'000'000'007, tools.edges);
  const std::string what = fmt::format("{} kernels from {} seed {}", kernels.size(),
                                       form_name(kernels[0].form), kernels[0].seed);
  if (!design.compile("batch", "Batch", what) || !design.verilate("batch") ||
      !design.build_driver("edges", common()) ||
      !design.step("timeout 600 ./driver > result.txt")) {
    return {.broken = design.log(), .failures = {}};
  }
  std::vector<CampaignFailure> failures;  // the first port of each
  std::vector<bool> seen(kernels.size());
  std::ifstream result(design.folder() / "result.txt");
  std::string port;
  std::string message;
  while (std::getline(result, port) && std::getline(result, message)) {
    const auto kernel = static_cast<std::size_t>(std::stoul(port.substr(1)));
    if (seen.at(kernel)) continue;
    seen[kernel] = true;
    failures.push_back({kernels[kernel], message});
  }
  return {.broken = "", .failures = failures};
}

}  // namespace systole::tests
