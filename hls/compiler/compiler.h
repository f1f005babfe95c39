#pragma once

#include <string>
#include <vector>

#include "hls/compiler/frontend/compile.h"

namespace systole::compiler {

/// One pipeline of a generated module, for the report.
struct PipelineReport {
  std::string function;
  int stages = 0;
  int register_bits = 0;  ///< of one lane, all stages
  std::int64_t lanes = 1;
  std::vector<double> stage_ns;  ///< estimated by the delay model
};

/// A generated SystemVerilog module.
struct GeneratedModule {
  std::string name;  ///< "systole_systolic_array"
  std::string text;
  std::vector<PipelineReport> pipelines;
  std::vector<std::string> instances;  ///< modules and cells that it instantiates
};

/// How a pure function becomes a pipeline: a fixed number of stages, or, with stages 0, the least
/// number whose slowest stage keeps up with the clock by the delay model.
struct PipelineGoal {
  int stages = 0;
  double clock_mhz = 0;
};

/// Compiles a pure function to a module of its own.
///
/// Errors   as generate; Refusal where no number of stages reaches the clock
GeneratedModule generate_function(const Source& source, const PipelineGoal& goal);

/// Compiles the top and every submodule below it, submodules first. The same input gives the same
/// bytes, whatever the folder.
///
/// Errors   Refusal for the user's mistakes; anything else is the compiler's own fault
std::vector<GeneratedModule> generate(const Source& source);

/// The compiler's version, "0.1.0".
std::string version();

}  // namespace systole::compiler
