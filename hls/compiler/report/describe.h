#pragma once

#include <cstdint>

#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/report/report.h"
#include "hls/compiler/schedule/stages.h"

namespace systole::compiler {

/// A scheduled function's part of the reports.
PipelineReport describe_pipeline(const LoweredFunction& function, const Schedule& schedule,
                                 std::int64_t lanes, const DelayModel& model);

/// A module's part of the reports, without its pipelines.
ModuleReport describe_module(const LoweredModule& module);

}  // namespace systole::compiler
