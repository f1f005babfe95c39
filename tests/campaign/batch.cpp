#include "tests/campaign/batch.h"

#include "tests/campaign/clocked_batch.h"
#include "tests/campaign/loop_batch.h"
#include "tests/campaign/wrong_kernel.h"

namespace systole::tests {

std::string file_of(const char* headers, const std::string& kernels) {
  return "#pragma once\n\n#include <algorithm>\n#include <cstddef>\n#include <iterator>\n#include "
         "<numeric>\n#include <optional>\n\n" +
         std::string(headers) +
         "\nnamespace systole::tests {\n\nusing namespace systole::hls;\n\n" + kernels +
         "}  // namespace systole::tests\n";
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
