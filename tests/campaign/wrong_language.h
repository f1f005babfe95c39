#pragma once

#include <string>

#include "tests/campaign/random_type.h"
#include "tests/campaign/wrong_kernel.h"

namespace systole::tests {

/// A kernel with one thing that docs/kernels.md says is refused, and the same with what it says to
/// write instead.
///
/// Shapes   the thing stands in clock(), in a function that clock() calls or, if it is sequential,
///          in a thread; widths and sizes are random
WrongKernel wrong_language(Random& random, const std::string& name);

}  // namespace systole::tests
