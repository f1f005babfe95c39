#pragma once

#include <cstdint>

#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/report/report.h"
#include "hls/compiler/schedule/stages.h"

namespace systole::compiler {

/// What the reports say of a scheduled function.
PipelineReport describe_pipeline(const LoweredFunction& function, const Schedule& schedule,
                                 std::int64_t lanes, const DelayModel& model);

/// What the reports say of a module apart from its pipelines.
ModuleReport describe_module(const LoweredModule& module);

}  // namespace systole::compiler
