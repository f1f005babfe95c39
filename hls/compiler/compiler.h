#pragma once

#include <string>
#include <vector>

#include "hls/compiler/frontend/compile.h"
#include "hls/compiler/report/report.h"

namespace systole::compiler {

/// What every generated module's name starts with.
inline constexpr const char* kModulePrefix = "systole_";

/// A generated SystemVerilog module.
struct GeneratedModule {
  std::string name;  ///< "systole_systolic_array"
  std::string text;
  ModuleReport report;
};

/// How a pure function becomes a pipeline: a fixed number of stages, or, with stages 0, the least
/// number whose slowest stage keeps up with the clock by the delay model.
struct PipelineGoal {
  int stages = 0;
  double clock_mhz = 0;
};

/// The target whose delays cut the pipelines, where none is named.
inline constexpr const char* kDefaultTarget = "generic";

/// Compiles a pure function to a module of its own.
///
/// Errors   as generate; Refusal for an unknown target, or a clock that no number of stages reaches
GeneratedModule generate_function(const Source& source, const PipelineGoal& goal,
                                  const std::string& target = kDefaultTarget);

/// How a function over arrays is scheduled: for this clock, or 0 for kDefaultKernelMhz, and with
/// iterations of innermost loops overlapping or one after the other.
struct KernelGoal {
  double clock_mhz = 0;
  bool overlaps = true;
};
inline constexpr double kDefaultKernelMhz = 100;

/// Compiles a function over arrays, `void f(arrays, streams, scalars)`, to a module with its loops
/// in time, after the engines of its AxiArrays. If the module misses a clock that is asked for, it
/// is scheduled again with less logic in a clock.
///
/// Errors   NoSuchTop for a top that is none; Refusal for the user's mistakes, and for an interval
///          between iterations that the source asks for and that is impossible
std::vector<GeneratedModule> generate_kernel(const Source& source, const KernelGoal& goal,
                                             const std::string& target = kDefaultTarget);

/// Whether the reports have every module's paths, which takes time of its own.
enum class Paths { kLeaveOut, kTime };

/// Compiles the top and every submodule below it, submodules first. The same input gives the same
/// bytes, whatever the folder.
///
/// Errors   Refusal for the user's mistakes; anything else is the compiler's own fault
std::vector<GeneratedModule> generate(const Source& source,
                                      const std::string& target = kDefaultTarget,
                                      Paths paths = Paths::kLeaveOut);

/// The report of modules that were generated for a target, and what clock they must reach, if any.
Report report(const std::vector<GeneratedModule>& modules,
              const std::string& target = kDefaultTarget, double clock_mhz = 0);

/// The compiler's version, "0.1.0".
std::string version();

}  // namespace systole::compiler
