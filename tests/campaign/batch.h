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

/// The longest run of hlsc with clang, in CPU seconds, and on what.
struct SlowestCompile {
  double seconds = 0;
  std::string
      what;  ///< "loops seed 17", or of kernels that share a design "16 kernels from seed 1"
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
  std::string options = {};  ///< more words for hlsc
  int edges = 300;           ///< of functions, modules and threads
  int runs = 12;             ///< of functions over arrays
  int time_limit = 300;      ///< processor seconds for hlsc, which fails the kernel or its batch
  SlowestCompile* slowest = nullptr;  ///< kept up to date
};

/// What a batch of kernels of one kind came to.
struct BatchOutcome {
  std::string broken;  ///< why not all of them were run; "" when they were
  std::vector<CampaignFailure> failures;
};

/// Compiles the kernels, runs all of them beside their C++, and says which failed. They are all
/// wrong, all loops, or neither. A batch that does not build is halved until the kernels that cause
/// it are alone.
///
/// Errors   std::runtime_error when a tool cannot be run at all
std::vector<CampaignFailure> run_batch(const std::vector<CampaignKernel>& kernels,
                                       const BatchTools& tools);

/// What kernels of the clocked forms, and functions over arrays, include.
inline constexpr const char* kClockedHeaders = R"(#include "systole/hls/divide.h"
#include "systole/hls/int.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/ram.h"
#include "systole/hls/stream_pipeline.h"
#include "systole/hls/thread.h"
#include "systole/hls/thread_ends.h"
#include "systole/hls/vec.h"
)";
inline constexpr const char* kLoopHeaders = R"(#include <array>

#include "systole/hls/compat/ac_int.h"
#include "systole/hls/compat/ap_int.h"
#include "systole/hls/int.h"
#include "systole/hls/int_operators.h"
#include "systole/hls/kernel.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/vec.h"
#include "tests/campaign/loop_units.h"
)";

/// Kernels as a file with what they include.
std::string file_of(const char* headers, const std::string& kernels);

/// The file of one kernel, as a user would write it.
std::string kernel_file(const CampaignKernel& kernel, const std::string& name);

}  // namespace systole::tests
