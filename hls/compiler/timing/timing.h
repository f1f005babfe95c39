#pragma once

#include <map>
#include <string>
#include <vector>

#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/ir/lowered_thread.h"
#include "hls/compiler/report/report.h"
#include "hls/compiler/schedule/delay_model.h"
#include "hls/compiler/schedule/stages.h"

namespace systole::compiler {

/// A module's own time beside its registers, for the module around it. Nanoseconds without clock to
/// output and set-up; negative where there is no such path.
struct EdgeTiming {
  std::vector<double> set_up;                ///< from each input to the latest register
  std::vector<double> arrival;               ///< of each output, from the latest register
  std::vector<std::vector<double>> through;  ///< [input][output]
};

/// Every path of a module from register to register, by the delay model. Inputs come from registers
/// and outputs go to registers; a path into a submodule ends at its register.
struct ModuleTiming {
  std::vector<TimedPath> paths;  ///< one for each end, the slowest first
  EdgeTiming edge;
};

/// A pipeline of a module: its stages are paths of their own.
struct TimedPipeline {
  std::string function;
  Schedule schedule;
};

/// Shapes   `children` and `pipelines` by index into module.state
/// Numbers  an estimate: see docs/hlsc.md
ModuleTiming time_module(const LoweredModule& module, const std::map<int, EdgeTiming>& children,
                         const std::map<int, TimedPipeline>& pipelines, const DelayModel& model);
ModuleTiming time_thread(const LoweredThread& thread, const DelayModel& model);

/// A cell of rtl/cells, by its ports' names.
EdgeTiming time_cell(const std::string& cell, const std::vector<Leaf>& inputs,
                     const std::vector<Leaf>& outputs, int depth, const DelayModel& model);

}  // namespace systole::compiler
