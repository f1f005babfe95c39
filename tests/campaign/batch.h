#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/campaign/random_kernel.h"

namespace systole::tests {

/// One kernel of a campaign: its seed says everything about it.
struct CampaignKernel {
  Form form = Form::kModule;
  std::uint64_t seed = 0;
};

/// A kernel that hlsc refused, that did not build, or whose RTL is not its C++.
struct CampaignFailure {
  CampaignKernel kernel;
  std::string what;
};

/// Where the tools are and how much is compared.
struct BatchTools {
  std::string hlsc;
  std::string verilator;
  std::string clang;
  std::string runtime;  ///< the library of what every Verilated model links to
  std::string verilator_root;
  std::filesystem::path source_dir;
  std::filesystem::path work_dir;
  int edges = 300;
};

/// Compiles the kernels in one design, runs all of them beside their C++, and says which failed.
/// A batch that does not build is halved until the kernels that cause it are alone.
///
/// Errors   std::runtime_error when a tool cannot be run at all
std::vector<CampaignFailure> run_batch(const std::vector<CampaignKernel>& kernels,
                                       const BatchTools& tools);

/// Kernels as a file with all that they include.
std::string file_of(const std::string& kernels);

/// The text of a kernel with all it includes, as a user would write it.
std::string kernel_file(const CampaignKernel& kernel);

}  // namespace systole::tests
