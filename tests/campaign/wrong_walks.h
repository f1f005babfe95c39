#pragma once

#include <string>

#include "tests/campaign/wrong_kernel.h"
#include "tests/support/random.h"

namespace systole::tests {

/// A pointer that walks over an array, in a loop or without one: over all of its elements, and over
/// one or two more at either end, which are elements of a neighbour or of nothing.
WrongKernel wrong_walk(Random& random, const std::string& name);

}  // namespace systole::tests
