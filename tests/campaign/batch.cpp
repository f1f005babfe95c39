#include "tests/campaign/batch.h"

#include <fmt/format.h>

#include <regex>
#include <utility>

#include "tests/campaign/clocked_batch.h"
#include "tests/campaign/loop_batch.h"
#include "tests/campaign/wrong_kernel.h"

namespace systole::tests {

namespace {

/// Headers of the standard library, and what kernels use of each. One that is not used would be
/// most of what clang reads; std::begin and std::end come with <array>.
constexpr std::pair<const char*, const char*> kStandardHeaders[] = {
    {"algorithm", "std::(clamp|copy|fill|max|min|reverse)\\b"},
    {"array", "std::(array|begin|end)\\b"},
    {"cstddef", "std::size_t\\b"},
    {"numeric", "std::(accumulate|iota)\\b"},
    {"optional", "std::optional\\b"},
    {"utility", "std::swap\\b"}};

std::string standard_headers(const std::string& kernels) {
  std::string includes;
  for (const auto& [header, names] : kStandardHeaders) {
    if (std::regex_search(kernels, std::regex(names))) {
      includes += fmt::format("#include <{}>\n", header);
    }
  }
  return includes;
}

}  // namespace

std::string file_of(const char* headers, const std::string& kernels) {
  return fmt::format(
      "#pragma once\n\n{}\n{}\nnamespace systole::tests {{\n\nusing namespace systole::hls;\n\n{}"
      "}}  // namespace systole::tests\n",
      standard_headers(kernels), headers, kernels);
}

std::string kernel_file(const CampaignKernel& kernel, const std::string& name) {
  if (kernel.form == Form::kWrong) {
    const WrongKernel pair = wrong_kernel(kernel.seed, name);
    return file_of(pair.headers, pair.wrong);
  }
  return file_of(over_arrays(kernel.form) ? kLoopHeaders : kClockedHeaders,
                 random_kernel(kernel.form, kernel.seed, name).text);
}

std::vector<CampaignFailure> run_batch(const std::vector<CampaignKernel>& kernels,
                                       const BatchTools& tools) {
  if (kernels.empty()) return {};
  if (kernels.front().form == Form::kWrong) return run_wrong(kernels, tools);
  const auto run = over_arrays(kernels.front().form) ? run_loops : run_clocked;
  const BatchOutcome outcome = run(kernels, tools);
  if (outcome.broken.empty()) return outcome.failures;
  if (kernels.size() == 1) return {{kernels.front(), outcome.broken}};
  const auto middle = kernels.begin() + static_cast<std::ptrdiff_t>(kernels.size() / 2);
  std::vector<CampaignFailure> failures = run_batch({kernels.begin(), middle}, tools);
  const std::vector<CampaignFailure> more = run_batch({middle, kernels.end()}, tools);
  failures.insert(failures.end(), more.begin(), more.end());
  return failures;
}

}  // namespace systole::tests
