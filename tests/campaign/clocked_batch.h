#pragma once

#include <vector>

#include "tests/campaign/batch.h"

namespace systole::tests {

/// Compiles functions, modules and threads in one design, and compares all of them with their C++
/// at every port and edge.
BatchOutcome run_clocked(const std::vector<CampaignKernel>& kernels, const BatchTools& tools);

}  // namespace systole::tests
