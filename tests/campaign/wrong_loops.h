#pragma once

#include "tests/campaign/wrong_kernel.h"
#include "tests/support/random.h"

namespace systole::tests {

/// A function over arrays, or a dataflow() function, with one fault that lock-step need not see: an
/// index that a loop takes past the end, an array or a stream that keeps what an iteration before
/// left, a value that is taken before it is set, a variable that only some ways set, copies of a
/// loop's body that each may end it.
WrongKernel wrong_loops(Random& random, const std::string& name);

}  // namespace systole::tests
