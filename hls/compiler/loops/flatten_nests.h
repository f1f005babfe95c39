#pragma once

#include "hls/compiler/ir/lowered_kernel.h"
#include "hls/compiler/schedule/delay_model.h"

namespace systole::compiler {

/// Flattens the nests of a kernel that take fewer clocks so: the inner loop then neither fills nor
/// drains in each iteration of the outer one. The innermost nests first, and what they become
/// again. Both forms of a nest are scheduled, and the better one is kept.
///
/// Limits   an inner loop that always runs, and an outer one without options or branches left
void flatten_nests(LoweredKernel& kernel, const DelayModel& model, double clock_ns);

}  // namespace systole::compiler
