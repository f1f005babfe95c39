#pragma once

#include <vector>

#include "tests/rtl/lockstep_kernel.h"

namespace systole::tests {

/// The arrays and matrix units of this build (SYSTOLE_ARRAYS). The 16 x 16 array is compared inside
/// its matrix unit only, which keeps the build short.
std::vector<LockstepKernel> lockstep_arrays();

}  // namespace systole::tests
