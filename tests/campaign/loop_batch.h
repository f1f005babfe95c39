#pragma once

#include <vector>

#include "tests/campaign/batch.h"

namespace systole::tests {

/// Compiles functions over arrays, each to a module of its own, runs all of them beside their C++
/// in one driver, and says which failed: refused, other words in a memory or output, or other
/// clocks than the module promises.
BatchOutcome run_loops(const std::vector<CampaignKernel>& kernels, const BatchTools& tools);

}  // namespace systole::tests
