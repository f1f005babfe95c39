#pragma once

#include <string>

#include "tests/campaign/expressions.h"

namespace systole::tests {

/// A random function over arrays, `void NAME(...)`: nests of loops with constant bounds or with
/// those of a scalar, early exits, local arrays, options of loops, and every statement and operator
/// of the other forms.
///
/// Limits   nests are at most three deep, so that a run ends soon; every index is in its array
std::string random_loops(Random& random, const std::string& name);

}  // namespace systole::tests
